package dev.once.spring.webflux;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Flux;

/** The request with the body that was read to know what it asks. */
final class KeptRequest extends ServerHttpRequestDecorator {

  private final byte[] body;
  private final DataBufferFactory buffers;

  KeptRequest(ServerHttpRequest request, byte[] body, DataBufferFactory buffers) {
    super(request);
    this.body = body;
    this.buffers = buffers;
  }

  @Override
  public Flux<DataBuffer> getBody() {
    return body.length == 0
        ? Flux.empty()
        : Flux.defer(() -> Flux.just(buffers.wrap(body.clone())));
  }
}
