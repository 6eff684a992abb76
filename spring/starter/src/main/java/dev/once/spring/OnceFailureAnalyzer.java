package dev.once.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Says at a failed start what to change. Asked before Boot's own, which see less in a binding. */
@Order(0)
final class OnceFailureAnalyzer extends AbstractFailureAnalyzer<OnceConfigurationException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, OnceConfigurationException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
  }
}
