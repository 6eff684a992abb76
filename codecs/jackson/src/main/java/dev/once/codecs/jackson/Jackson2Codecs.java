package dev.once.codecs.jackson;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.once.core.Codec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Codecs by Jackson 2. A type is fit if a value of it can be made again: of every part that Jackson
 * would read, there is a way to construct it.
 *
 * <p>Only loaded where Jackson 2 is there; the twin of Jackson3Codecs, from which it differs by
 * packages.
 */
@SuppressWarnings("exports") // who calls what takes or gives these types has their module
public final class Jackson2Codecs extends JacksonCodecs {

  private static final ObjectReader PARTS =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build()
          .readerFor(Object.class);

  private final ObjectMapper mapper;

  /** Leaves nothing out. */
  private final ObjectMapper whole;

  /** With a mapper of its own: default settings, and the modules that are there. */
  public Jackson2Codecs() {
    this(JsonMapper.builder().findAndAddModules().build());
  }

  /** With this mapper, which must not be changed afterwards. */
  public Jackson2Codecs(ObjectMapper mapper) {
    this.mapper = Objects.requireNonNull(mapper, "mapper: null (expected: an ObjectMapper)");
    this.whole = whole(mapper);
  }

  private static ObjectMapper whole(ObjectMapper mapper) {
    try {
      ObjectMapper copy = mapper.copy();
      copy.setDefaultPropertyInclusion(AlwaysIncluded.ALWAYS);
      return copy.setAnnotationIntrospectors(
          AnnotationIntrospector.pair(
              new AlwaysIncluded(), mapper.getSerializationConfig().getAnnotationIntrospector()),
          mapper.getDeserializationConfig().getAnnotationIntrospector());
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
    public JsonInclude.Value findPropertyInclusion(Annotated part) {
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
    return write(mapper.writer().with(SerializationFeature.FAIL_ON_EMPTY_BEANS), value);
  }

  @Override
  byte[] writeByClass(Object value) {
    return write(byClass(), new Object[] {value});
  }

  /** Of something within an array: a collection that stands alone would have a name of its own. */
  private ObjectWriter byClass() {
    return mapper.writer().without(SerializationFeature.WRAP_ROOT_VALUE);
  }

  @Override
  byte[] writeAsIs(@Nullable Object value, Type type) {
    return write(writerOf(mapper, type), value);
  }

  /** A generic value does not know the type of what is in it, and so not how to write its class. */
  private static ObjectWriter writerOf(ObjectMapper mapper, Type type) {
    JavaType known = mapper.constructType(type);
    boolean generic = known.isContainerType() || known.isReferenceType() || known.hasGenericTypes();
    return generic ? mapper.writerFor(known) : mapper.writer();
  }

  @Override
  byte[] writeWhole(@Nullable Object value, Type type) {
    return write(withTimes(writerOf(whole, type)), value);
  }

  @Override
  byte[] writeTimesByClass(Object value) {
    return write(withTimes(byClass()), new Object[] {value});
  }

  private static ObjectWriter withTimes(ObjectWriter writer) {
    return writer
        .with(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
        .without(SerializationFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
        .without(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
  }

  private static byte[] write(ObjectWriter writer, @Nullable Object value) {
    try {
      return writer.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  @Nullable Object read(byte[] json, Type type) {
    try {
      return mapper
          .readerFor(mapper.constructType(type))
          .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .without(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .readValue(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  @Nullable Object parts(byte[] json) {
    try {
      return PARTS.readValue(mapper.createParser(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  @Nullable String unfit(Type type) {
    try {
      return new Jackson2Types(mapper).findError(mapper.constructType(type));
    } catch (RuntimeException | JsonMappingException e) {
      return e.getMessage();
    }
  }

  @Override
  public @Nullable String omission(Type type) {
    try {
      return new Jackson2Types(mapper).omission(mapper.constructType(type));
    } catch (RuntimeException | JsonMappingException e) {
      return null; // what cannot be written shows when it is: before anything runs
    }
  }

  @Override
  @Nullable Class<?> bean(Type type) {
    try {
      JavaType known = mapper.constructType(type);
      return new Jackson2Types(mapper).isBean(known) ? known.getRawClass() : null;
    } catch (JsonMappingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
