package dev.once.codecs.jackson;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.once.core.Codec;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;

/**
 * Codecs by Jackson 3. A type is fit if a value of it can be made again: of every part that Jackson
 * would read, there is a way to construct it.
 *
 * <p>Only loaded where Jackson 3 is there; the twin of Jackson2Codecs, from which it differs by
 * packages.
 */
@SuppressWarnings("exports") // who calls what takes or gives these types has their module
public final class Jackson3Codecs extends JacksonCodecs {

  private static final ObjectReader PARTS =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build()
          .readerFor(Object.class);

  private final ObjectMapper mapper;

  /** Leaves nothing out. */
  private final ObjectMapper whole;

  /** With a mapper of its own: default settings. */
  public Jackson3Codecs() {
    this(JsonMapper.builder().build());
  }

  /** With this mapper, which must not be changed afterwards. */
  public Jackson3Codecs(ObjectMapper mapper) {
    this.mapper = Objects.requireNonNull(mapper, "mapper: null (expected: an ObjectMapper)");
    this.whole = whole(mapper);
  }

  private static ObjectMapper whole(ObjectMapper mapper) {
    try {
      return mapper
          .rebuild()
          .changeDefaultPropertyInclusion(any -> AlwaysIncluded.ALWAYS)
          .annotationIntrospector(
              AnnotationIntrospector.pair(
                  new AlwaysIncluded(), mapper.serializationConfig().getAnnotationIntrospector()))
          .build();
    } catch (IllegalStateException e) {
      return mapper; // of a class of its own that cannot be copied
    }
  }

  /** Stronger than what annotations say. */
  private static final class AlwaysIncluded extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    static final JsonInclude.Value ALWAYS =
        JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);

    @Override
    public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated part) {
      return ALWAYS;
    }
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
    return mapper.writer().with(SerializationFeature.FAIL_ON_EMPTY_BEANS).writeValueAsBytes(value);
  }

  @Override
  byte[] writeByClass(Object value) {
    return byClass().writeValueAsBytes(new Object[] {value});
  }

  /** Of something within an array: a collection that stands alone would have a name of its own. */
  private ObjectWriter byClass() {
    return mapper.writer().without(SerializationFeature.WRAP_ROOT_VALUE);
  }

  @Override
  byte[] writeAsIs(@Nullable Object value, Type type) {
    return writerOf(mapper, type).writeValueAsBytes(value);
  }

  /** A generic value does not know the type of what is in it, and so not how to write its class. */
  private static ObjectWriter writerOf(ObjectMapper mapper, Type type) {
    JavaType known = mapper.constructType(type);
    boolean generic = known.isContainerType() || known.isReferenceType() || known.hasGenericTypes();
    return generic ? mapper.writerFor(known) : mapper.writer();
  }

  @Override
  byte[] writeWhole(@Nullable Object value, Type type) {
    return withTimes(writerOf(whole, type)).writeValueAsBytes(value);
  }

  @Override
  byte[] writeTimesByClass(Object value) {
    return withTimes(byClass()).writeValueAsBytes(new Object[] {value});
  }

  private static ObjectWriter withTimes(ObjectWriter writer) {
    return writer
        .with(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
        .without(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
        .without(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS);
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
  @Nullable Object parts(byte[] json) {
    return PARTS.readValue(mapper.createParser(json));
  }

  @Override
  @Nullable String unfit(Type type) {
    try {
      return new Jackson3Types(mapper).findError(mapper.constructType(type));
    } catch (RuntimeException e) {
      return e.getMessage();
    }
  }

  @Override
  public @Nullable String omission(Type type) {
    try {
      return new Jackson3Types(mapper).omission(mapper.constructType(type));
    } catch (RuntimeException e) {
      return null; // what cannot be written shows when it is: before anything runs
    }
  }

  @Override
  @Nullable Class<?> bean(Type type) {
    JavaType known = mapper.constructType(type);
    return new Jackson3Types(mapper).isBean(known) ? known.getRawClass() : null;
  }
}
