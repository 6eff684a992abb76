package dev.once.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says at a failed start what to change. */
final class OnceFailureAnalyzer extends AbstractFailureAnalyzer<OnceConfigurationException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, OnceConfigurationException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
  }
}
