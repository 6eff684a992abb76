package dev.once.codecs.jackson;

import dev.once.core.Codec;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/**
 * Codecs by Jackson 3. A type is fit if a value of it can be made again: of every part that Jackson
 * would read, there is a way to construct it.
 *
 * <p>Only loaded where Jackson 3 is there; the twin of Jackson2Codecs, from which it differs by
 * packages.
 */
public final class Jackson3Codecs extends JacksonCodecs {

  private final ObjectMapper mapper;

  /** With a mapper of its own: default settings. */
  public Jackson3Codecs() {
    this(JsonMapper.builder().build());
  }

  /** With this mapper, which must not be changed afterwards. */
  public Jackson3Codecs(ObjectMapper mapper) {
    this.mapper = Objects.requireNonNull(mapper, "mapper: null (expected: an ObjectMapper)");
  }

  /**
   * A codec for values of a generic type: {@code new TypeReference<List<Receipt>>() {}}.
   *
   * @throws IllegalArgumentException if they cannot be written and read again
   */
  public <T> Codec<T> of(TypeReference<T> type) {
    return of(type.getType());
  }

  @Override
  public byte[] write(@Nullable Object value) {
    return mapper.writeValueAsBytes(value);
  }

  @Override
  byte[] writeWithZones(@Nullable Object value) {
    return mapper
        .writer()
        .with(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
        .without(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
        .without(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
        .writeValueAsBytes(value);
  }

  @Override
  @Nullable Object read(byte[] json, Type type) {
    return mapper
        .readerFor(mapper.constructType(type))
        .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .without(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .readValue(json);
  }

  @Override
  @Nullable String unfit(Type type) {
    try {
      return complaint(
          mapper.constructType(type), mapper._deserializationContext(), new HashSet<>());
    } catch (RuntimeException e) {
      return e.getMessage();
    }
  }

  private @Nullable String complaint(
      JavaType type, DeserializationContext context, Set<JavaType> seen) {
    if (!seen.add(type)) {
      return null;
    }
    if (AutoCloseable.class.isAssignableFrom(type.getRawClass())) {
      return type.getRawClass().getName() + " is a resource, not a value";
    }
    for (JavaType part : new JavaType[] {type.getKeyType(), type.getContentType()}) {
      String complaint = part == null ? null : complaint(part, context, seen);
      if (complaint != null) {
        return complaint;
      }
    }
    ValueDeserializer<Object> reader = context.findRootValueDeserializer(type);
    if (reader instanceof AbstractDeserializer && !type.isJavaLangObject()) {
      return type.getRawClass().getName() + " is abstract, and nothing says which class to make";
    }
    if (!(reader instanceof BeanDeserializerBase bean)) {
      return null;
    }
    if (!bean.getValueInstantiator().canInstantiate()) {
      return type.getRawClass().getName() + " has no constructor that Jackson could call";
    }
    ValueSerializer<Object> writer = mapper._serializationContext().findValueSerializer(type);
    if (writer instanceof UnknownSerializer) {
      return type.getRawClass().getName() + " has nothing that Jackson would write";
    }
    Set<String> read = new HashSet<>();
    for (Iterator<SettableBeanProperty> parts = bean.properties(); parts.hasNext(); ) {
      SettableBeanProperty part = parts.next();
      read.add(part.getName());
      String complaint = complaint(part.getType(), context, seen);
      if (complaint != null) {
        return complaint;
      }
    }
    Set<String> written = new HashSet<>();
    for (Iterator<PropertyWriter> parts = writer.properties(); parts.hasNext(); ) {
      written.add(parts.next().getName());
    }
    return LostState.complaint(type.getRawClass(), written, read);
  }
}
