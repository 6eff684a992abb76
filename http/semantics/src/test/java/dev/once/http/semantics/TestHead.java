package dev.once.http.semantics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A request without a server. */
record TestHead(
    String method,
    String path,
    String query,
    List<Map.Entry<String, String>> fields,
    boolean hasBody)
    implements RequestHead {

  static TestHead request(String method, String target, String... fields) {
    int question = target.indexOf('?');
    List<Map.Entry<String, String>> lines = new ArrayList<>();
    for (int i = 0; i < fields.length; i += 2) {
      lines.add(Map.entry(fields[i], fields[i + 1]));
    }
    return new TestHead(
        method,
        question < 0 ? target : target.substring(0, question),
        question < 0 ? null : target.substring(question + 1),
        lines,
        true);
  }

  static TestHead post(String... fields) {
    return request("POST", "/payments", fields);
  }

  TestHead withoutBody() {
    return new TestHead(method, path, query, fields, false);
  }

  @Override
  public List<String> headers(String name) {
    return fields.stream()
        .filter(field -> field.getKey().equalsIgnoreCase(name))
        .map(Map.Entry::getValue)
        .toList();
  }

  @Override
  public String client() {
    return "192.0.2.1";
  }
}
