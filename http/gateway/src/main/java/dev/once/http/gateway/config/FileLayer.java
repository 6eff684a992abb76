package dev.once.http.gateway.config;

import dev.once.http.semantics.NearestWord;
import dev.once.http.semantics.RoutePattern;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** What a file gives: settings at its top, and routes. */
final class FileLayer {

  private static final String ROUTES = "routes";
  private static final String MATCH = "match";
  private static final String A_PATTERN = "such as POST /payments/** or /refunds/*";
  private static final String PROFILE = GatewayValue.PROFILE.label();

  private final ConfigurationErrors errors;
  private final YamlMaps maps;
  private final Layer top = new Layer();
  private final List<RouteEntry> routes = new ArrayList<>();
  private boolean whole = true;

  private FileLayer(String file, ConfigurationErrors errors) {
    this.errors = errors;
    this.maps = new YamlMaps(file, errors);
  }

  static FileLayer read(@Nullable Path file, ConfigurationErrors errors) {
    FileLayer layer = new FileLayer(String.valueOf(file), errors);
    if (file != null) {
      SettingsFile.Content content = new SettingsFile(file, errors).read();
      layer.whole = content.isYaml();
      if (content.root() != null) {
        layer.readTop(content.root());
      }
    }
    return layer;
  }

  Layer top() {
    return top;
  }

  List<RouteEntry> routes() {
    return routes;
  }

  /** Whether there is no file, or all of it could be read. */
  boolean isWhole() {
    return whole;
  }

  private void readTop(Node root) {
    List<String> known = new ArrayList<>(SettingNames.ALL);
    known.add(ROUTES);
    maps.entries(
        root,
        "settings such as 'upstream: http://localhost:3000'",
        (key, value) -> {
          if (key.getValue().equals(ROUTES)) {
            readRoutes(value, maps.at(key));
          } else if (known.contains(key.getValue())) {
            maps.add(top, key, value, SettingNames.expected(key.getValue()));
          } else {
            String otherwise = "a setting such as upstream, profile or retention";
            maps.addError(key, NearestWord.unknown(key.getValue(), known, otherwise));
          }
        });
  }

  private void readRoutes(Node node, Origin origin) {
    if (node instanceof SequenceNode list) {
      list.getValue().forEach(this::readRoute);
    } else {
      String expected = " (expected: a list of '- match: POST /payments', or [])";
      errors.add(origin, ROUTES, YamlMaps.kind(node) + expected);
    }
  }

  private void readRoute(Node node) {
    Layer route = new Layer();
    boolean read =
        maps.entries(
            node,
            "a route such as '- match: POST /payments'",
            (key, value) -> {
              String label = key.getValue();
              if (label.equals(MATCH)) {
                maps.add(route, key, value, A_PATTERN);
              } else if (label.equals(PROFILE) || SettingNames.POLICY.contains(label)) {
                maps.add(route, key, value, SettingNames.expected(label));
              } else {
                maps.addError(key, notOfARoute(label));
              }
            });
    GivenValue match = route.get(MATCH);
    if (match != null) {
      addRoute(match, route);
    } else if (read) {
      errors.add(maps.at(node), MATCH, "missing (expected: " + A_PATTERN + ")");
    }
  }

  private static String notOfARoute(String label) {
    if (GatewayValue.labelled(label).isPresent()) {
      return "is not for one route (expected: at the top of the file)";
    }
    List<String> known = new ArrayList<>(SettingNames.POLICY);
    known.add(MATCH);
    known.add(PROFILE);
    return NearestWord.unknown(label, known, "match, profile or a value such as retention");
  }

  private void addRoute(GivenValue match, Layer route) {
    try {
      routes.add(new RouteEntry(RoutePattern.parse(match.text()), match, route));
    } catch (IllegalArgumentException e) {
      errors.add(match, match.unexpected(A_PATTERN));
    }
  }
}
