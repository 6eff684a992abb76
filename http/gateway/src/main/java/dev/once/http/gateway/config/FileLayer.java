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

  private final Complaints complaints;
  private final YamlMaps maps;
  private final Layer top = new Layer();
  private final List<RouteEntry> routes = new ArrayList<>();
  private boolean whole = true;

  private FileLayer(String file, Complaints complaints) {
    this.complaints = complaints;
    this.maps = new YamlMaps(file, complaints);
  }

  static FileLayer read(@Nullable Path file, Complaints complaints) {
    FileLayer layer = new FileLayer(String.valueOf(file), complaints);
    if (file != null) {
      SettingsFile.Content content = new SettingsFile(file, complaints).read();
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
    List<String> known = new ArrayList<>(Labels.ALL);
    known.add(ROUTES);
    maps.entries(
        root,
        "settings such as 'upstream: http://localhost:3000'",
        (key, value) -> {
          if (key.getValue().equals(ROUTES)) {
            readRoutes(value, maps.at(key));
          } else if (known.contains(key.getValue())) {
            maps.add(top, key, value, Labels.expected(key.getValue()));
          } else {
            String otherwise = "a setting such as upstream, profile or retention";
            maps.complain(key, NearestWord.unknown(key.getValue(), known, otherwise));
          }
        });
  }

  private void readRoutes(Node node, Origin origin) {
    if (node instanceof SequenceNode list) {
      list.getValue().forEach(this::readRoute);
    } else {
      String expected = " (expected: a list of '- match: POST /payments', or [])";
      complaints.add(origin, ROUTES, YamlMaps.kind(node) + expected);
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
              } else if (label.equals(PROFILE) || Labels.POLICY.contains(label)) {
                maps.add(route, key, value, Labels.expected(label));
              } else {
                maps.complain(key, notOfARoute(label));
              }
            });
    Given match = route.get(MATCH);
    if (match != null) {
      addRoute(match, route);
    } else if (read) {
      complaints.add(maps.at(node), MATCH, "missing (expected: " + A_PATTERN + ")");
    }
  }

  private static String notOfARoute(String label) {
    if (GatewayValue.labelled(label).isPresent()) {
      return "is not for one route (expected: at the top of the file)";
    }
    List<String> known = new ArrayList<>(Labels.POLICY);
    known.add(MATCH);
    known.add(PROFILE);
    return NearestWord.unknown(label, known, "match, profile or a value such as retention");
  }

  private void addRoute(Given match, Layer route) {
    try {
      routes.add(new RouteEntry(RoutePattern.parse(match.text()), match, route));
    } catch (IllegalArgumentException e) {
      complaints.add(match, match.unlike(A_PATTERN));
    }
  }
}
