package dev.once.spring.method;

import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.core.Codec;
import dev.once.core.Policy;
import dev.once.spring.AsyncReturnTypes;
import dev.once.spring.Idempotent;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OncePolicies;
import dev.once.spring.OnceProperties;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.Spliterator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * What {@link Idempotent} on a bean method means.
 *
 * @param name under which its keys are kept
 * @param fingerprint null for all arguments
 * @param required whether a call without a key is refused
 * @param sameTransaction whether the key commits together with what the method writes
 * @param codec how its result is recorded
 */
record IdempotentMethod(
    Method method,
    Class<?> type,
    String name,
    Policy policy,
    Expression key,
    @Nullable Expression fingerprint,
    boolean required,
    boolean sameTransaction,
    MethodResult result,
    Codec<@Nullable Object> codec) {

  private static final SpelExpressionParser SPEL = new SpelExpressionParser();

  static IdempotentMethod of(
      Method method,
      Class<?> type,
      Idempotent idempotent,
      OncePolicies policies,
      OnceProperties properties,
      JacksonCodecs codecs) {
    String where = type.getName() + "." + method.getName();
    requireProxy(method, where);
    if (idempotent.key().isEmpty()) {
      throw wrong(
          where,
          "no key (expected: one in SpEL, such as key = \"#order.id\")",
          "A bean method has no header that a key could come from: make one of the arguments.");
    }
    MethodResult result = MethodResult.of(method, type);
    String error = result.findError(codecs);
    if (error != null) {
      throw wrong(
          where,
          "its result, %s, cannot be recorded as JSON and read again: %s"
              .formatted(method.getGenericReturnType().getTypeName(), error),
          "Return a class or record that Jackson can write and read, or void.");
    }
    boolean sameTransaction = properties.isSameTransaction(idempotent);
    if (sameTransaction && result.isLater()) {
      throw wrong(
          where,
          "it answers later, and is in the same transaction (expected: one of the two)",
          "Return the result itself: a transaction ends on the thread that began it.");
    }
    Expression fingerprint =
        idempotent.fingerprint().isEmpty() ? null : parse(where, method, idempotent.fingerprint());
    if (fingerprint == null) {
      requireFitArguments(method, type, where, codecs);
    }
    return new IdempotentMethod(
        method,
        type,
        idempotent.name().isEmpty() ? where : idempotent.name(),
        OncePolicies.apply(policies.routes().base(), idempotent, where).policy(),
        parse(where, method, idempotent.key()),
        fingerprint,
        idempotent.required().length == 0 || idempotent.required()[0],
        sameTransaction,
        result,
        result.codec(codecs));
  }

  private static void requireProxy(Method method, String where) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw wrong(
          where,
          "it is %s (expected: a method that a proxy can stand before)"
              .formatted(Modifier.toString(modifiers)),
          "Make it neither private nor static nor final.");
    }
  }

  private static void requireFitArguments(
      Method method, Class<?> type, String where, JacksonCodecs codecs) {
    for (int i = 0; i < method.getParameterCount(); i++) {
      Parameter parameter = method.getParameters()[i];
      Class<?> raw = ResolvableType.forMethodParameter(method, i, type).toClass();
      if (isNoValue(raw)) {
        throw wrong(
            where,
            "its argument %s, %s, cannot be part of the fingerprint (expected: a value)"
                .formatted(parameter.getName(), raw.getName()),
            "Say what tells one request from another: fingerprint = \"#order\", for example.");
      }
      String omission =
          codecs.omission(
              GenericTypeResolver.resolveType(method.getGenericParameterTypes()[i], type));
      if (omission != null) {
        throw wrong(
            where,
            "its argument %s, %s, would not be all of it in the fingerprint, and another one be taken for the same: %s"
                .formatted(parameter.getName(), raw.getName(), omission),
            "Say what tells one request from another: fingerprint = \"#order.id\", for example.");
      }
    }
  }

  /** To read it is to use it up, or it is not there yet, or of the request that it came with. */
  private static boolean isNoValue(Class<?> type) {
    return AutoCloseable.class.isAssignableFrom(type)
        || Iterator.class.isAssignableFrom(type)
        || Enumeration.class.isAssignableFrom(type)
        || Spliterator.class.isAssignableFrom(type)
        || AsyncReturnTypes.nameOf(type) != null
        || type.getName().startsWith("jakarta.servlet.");
  }

  private static Expression parse(String where, Method method, String text) {
    try {
      SpelExpression expression = SPEL.parseRaw(text);
      requireKnown(expression.getAST(), method, where);
      return expression;
    } catch (ParseException e) {
      throw wrong(
          where,
          "'%s' is not SpEL: %s".formatted(text, e.getSimpleMessage()),
          "Write such as \"#order.id\", where order is an argument.");
    }
  }

  /**
   * A variable that does not exist is null, and so no protection, where it could be a misspelt one.
   */
  private static void requireKnown(SpelNode node, Method method, String where) {
    String name = node.toStringAST();
    if (node instanceof VariableReference && !variables(method).contains(name)) {
      throw wrong(
          where,
          "%s is not one of its arguments (expected: %s)"
              .formatted(name, String.join(", ", variables(method))),
          "Name an argument; where names are not there, compile with -parameters.");
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      requireKnown(node.getChild(i), method, where);
    }
  }

  private static Set<String> variables(Method method) {
    Set<String> known = new LinkedHashSet<>();
    String[] names = IdempotentInterceptor.NAMES.getParameterNames(method);
    if (names != null) {
      for (String name : names) {
        known.add("#" + name);
      }
    }
    for (int i = 0; i < method.getParameterCount(); i++) {
      known.add("#a" + i);
      known.add("#p" + i);
    }
    known.addAll(List.of("#root", "#this"));
    return known;
  }

  private static OnceConfigurationException wrong(String where, String what, String action) {
    return new OnceConfigurationException("@Idempotent on " + where + ": " + what, action);
  }
}
