package dev.once.http.conformance.rules;

import dev.once.http.conformance.Header;
import dev.once.http.conformance.Target.Counting;
import dev.once.http.conformance.TargetException;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.Json;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Reply;
import dev.once.http.conformance.wire.Request;
import dev.once.http.conformance.wire.Wire;
import java.util.List;
import java.util.Optional;

/** Reads how many things the endpoint has made. */
final class Counter {

  private final Counting counting;
  private final List<Header> headers;
  private final Wire wire;

  Counter(Counting counting, List<Header> headers, Wire wire) {
    this.counting = counting;
    this.headers = headers;
    this.wire = wire;
  }

  Request request() {
    return new Request("GET", counting.url(), headers, List.of(), "");
  }

  long read() throws NoAnswerException {
    Exchange exchange = wire.send(request());
    return number(exchange.reply())
        .orElseThrow(
            () ->
                new TargetException(
                    "count-url",
                    counting.url() + " answered " + exchange.reply(),
                    counting.pointer().isEmpty()
                        ? "a number, or a JSON array"
                        : "JSON with a number or an array at " + counting.pointer()));
  }

  private Optional<Long> number(Reply reply) {
    return reply.ok()
        ? Json.parse(reply.text()).flatMap(json -> json.at(counting.pointer())).flatMap(this::size)
        : Optional.empty();
  }

  private Optional<Long> size(Json value) {
    if (value instanceof Json.Elements elements) {
      return Optional.of((long) elements.inOrder().size());
    }
    String spelling =
        value instanceof Json.Literal literal
            ? literal.spelling()
            : value instanceof Json.Words words ? words.text() : "";
    return spelling.matches("-?\\d{1,18}")
        ? Optional.of(Long.parseLong(spelling))
        : Optional.empty();
  }
}
