package dev.once.http.surfaces;

import dev.once.http.surfaces.Script.ScriptedAnswer;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Behaviours for Spring MVC. */
@RestController
class MvcHandlers {

  @PostMapping("/{policy}/{behaviour}")
  void handle(
      @PathVariable String behaviour,
      @RequestHeader(Script.CASE) String id,
      HttpServletResponse response)
      throws IOException {
    ScriptedAnswer played = Script.play(Behaviour.of(behaviour), id);
    response.setStatus(played.status());
    played.fields().forEach(response::setHeader);
    for (String piece : played.pieces()) {
      response.getOutputStream().write(piece.getBytes(StandardCharsets.ISO_8859_1));
      response.getOutputStream().flush();
    }
    played.end().apply();
  }

  /** Spring answers the container's timeout itself, and drops what comes after that. */
  @PostMapping("/{policy}/answers-too-late")
  DeferredResult<String> answerTooLate(@RequestHeader(Script.CASE) String id) {
    Script.play(Behaviour.ANSWERS_TOO_LATE, id);
    return new DeferredResult<>(100L);
  }
}
