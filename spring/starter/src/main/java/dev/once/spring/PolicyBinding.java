package dev.once.spring;

import dev.once.http.semantics.NearestWord;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.PolicyValue.Kind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;

/**
 * Binds the values of the base policy, {@code once.retention} and so on. They have no setters: when
 * Boot has bound the rest of {@link OnceProperties}, it is asked for each name of {@link
 * PolicyValue}, by the same rules as for any property.
 */
public final class PolicyBinding implements ConfigurationPropertiesBindHandlerAdvisor {

  @Override
  public BindHandler apply(BindHandler handler) {
    return new Handler(handler);
  }

  private static final class Handler extends AbstractBindHandler {
    private static final ConfigurationPropertyName ONCE = ConfigurationPropertyName.of("once");
    private static final ConfigurationPropertyName ROUTES = ONCE.append("routes");
    private static final String EXPECTED =
        "a value of the policy such as once.retention, or such as once.store.url";

    private final BindHandler boots;

    /** Every name under {@link #ONCE} that was looked for. */
    private final Set<ConfigurationPropertyName> known = new LinkedHashSet<>();

    Handler(BindHandler boots) {
      super(boots);
      this.boots = boots;
    }

    @Override
    public <T> @Nullable Bindable<T> onStart(
        ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
      if (ONCE.isAncestorOf(name)) {
        known.add(name);
      }
      return super.onStart(name, target, context);
    }

    @Override
    public void onFinish(
        ConfigurationPropertyName name,
        Bindable<?> target,
        BindContext context,
        @Nullable Object result)
        throws Exception {
      if (!name.equals(ONCE)
          || target.getValue() == null
          || !(target.getValue().get() instanceof OnceProperties properties)) {
        super.onFinish(name, target, context, result);
        return;
      }
      if (saysMore(context)) {
        bindValues(properties, context);
      }
      try {
        super.onFinish(name, target, context, result);
      } catch (UnboundConfigurationPropertiesException e) {
        refuseUnknown(e);
      }
    }

    /** An application that says nothing of its policy is spared the table of all values. */
    private boolean saysMore(BindContext context) {
      for (ConfigurationPropertySource source : context.getSources()) {
        if (!(source instanceof IterableConfigurationPropertySource names)
            || names.stream().anyMatch(name -> ONCE.isAncestorOf(name) && !known.contains(name))) {
          return true;
        }
      }
      return false;
    }

    private void bindValues(OnceProperties properties, BindContext context) {
      for (PolicyValue value : PolicyValue.values()) {
        ConfigurationPropertyName name = ONCE.append(value.label());
        known.add(name);
        String text =
            value.kind() == Kind.LIST
                ? context
                    .getBinder()
                    .bind(name, Bindable.listOf(String.class), boots)
                    .map(list -> String.join(", ", list))
                    .orElse(null)
                : context.getBinder().bind(name, Bindable.of(String.class), boots).orElse(null);
        if (text != null) {
          properties.policy().put(value.label(), text);
        }
      }
    }

    /** What a route says is checked with the route; those of a weaker file are not used. */
    private void refuseUnknown(UnboundConfigurationPropertiesException cause) {
      List<ConfigurationProperty> unknown =
          cause.getUnboundProperties().stream()
              .filter(property -> !ROUTES.isAncestorOf(property.getName()))
              .toList();
      if (unknown.isEmpty()) {
        return;
      }
      List<String> names = known.stream().map(ConfigurationPropertyName::toString).toList();
      throw new OnceConfigurationException(
          unknown.stream()
              .map(property -> property.getName().toString())
              .map(name -> name + ": " + NearestWord.unknown(name, names, EXPECTED))
              .collect(Collectors.joining("\n")),
          "Change the name, or remove it: what is not known would protect nothing."
              + unknown.stream()
                  .map(property -> PropertyOrigin.describe(property.getOrigin()))
                  .distinct()
                  .collect(Collectors.joining()),
          cause);
    }
  }
}
