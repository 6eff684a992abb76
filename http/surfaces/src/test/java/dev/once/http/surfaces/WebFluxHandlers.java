package dev.once.http.surfaces;

import dev.once.http.surfaces.Script.ScriptedAnswer;
import java.nio.charset.StandardCharsets;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Behaviours for WebFlux. */
@RestController
class WebFluxHandlers {

  /** Its own: a server that is closed would take those of the other one with it. */
  @Bean
  ReactorResourceFactory ownResources() {
    ReactorResourceFactory resources = new ReactorResourceFactory();
    resources.setUseGlobalResources(false);
    return resources;
  }

  @PostMapping("/{policy}/{behaviour}")
  Mono<Void> handle(
      @PathVariable String behaviour,
      @RequestHeader(Script.CASE) String id,
      ServerHttpResponse response) {
    return Mono.fromCallable(() -> Script.play(Behaviour.of(behaviour), id))
        .subscribeOn(Schedulers.boundedElastic()) // it may wait
        .flatMap(played -> answer(played, response));
  }

  private static Mono<Void> answer(ScriptedAnswer played, ServerHttpResponse response) {
    response.setStatusCode(HttpStatusCode.valueOf(played.status()));
    played.fields().forEach(response.getHeaders()::set);
    Flux<DataBuffer> pieces =
        Flux.fromIterable(played.pieces())
            .map(piece -> piece.getBytes(StandardCharsets.ISO_8859_1))
            .map(response.bufferFactory()::wrap);
    Mono<DataBuffer> end = Mono.fromRunnable(() -> played.end().apply());
    return response.writeAndFlushWith(pieces.concatWith(end).map(Mono::just));
  }
}
