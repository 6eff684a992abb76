package dev.once.codecs.jackson;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.impl.UnsupportedTypeDeserializer;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.ReferenceTypeDeserializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.impl.UnsupportedTypeSerializer;
import tools.jackson.databind.ser.jackson.JsonValueSerializer;

/**
 * What Jackson 3 would do with values of a type: one walk through its parts, each as Jackson found
 * a reader and a writer for it.
 *
 * <p>The twin of Jackson2Types, from which it differs by packages.
 */
final class Jackson3Types {

  private final DeserializationConfig config;
  private final DeserializationContext readers;
  private final SerializationContext writers;
  private final Set<JavaType> seen = new HashSet<>();

  Jackson3Types(ObjectMapper mapper) {
    this.config = mapper.deserializationConfig();
    this.readers = mapper._deserializationContext();
    this.writers = mapper._serializationContext();
  }

  /** Whether it is an object with properties, and not a collection or a plain value. */
  boolean isBean(JavaType type) {
    return !type.isContainerType()
        && (readers.findTypeDeserializer(type) != null
            || readers.findRootValueDeserializer(type) instanceof BeanDeserializerBase);
  }

  /** Why values of this type cannot be written and read again; null if they can. */
  @Nullable String findError(JavaType type) {
    TypeDeserializer names = readers.findTypeDeserializer(type);
    return names != null
        ? findError(type, names)
        : findError(type, readers.findRootValueDeserializer(type));
  }

  /** Of a type whose JSON says which class it is. */
  private @Nullable String findError(JavaType type, TypeDeserializer names) {
    JsonTypeInfo.Id id = names.getTypeIdResolver().getMechanism();
    if (id != JsonTypeInfo.Id.NAME && id != JsonTypeInfo.Id.SIMPLE_NAME) {
      return type.isConcrete() ? made(type) : null; // any class may come
    }
    if ("[]".equals(names.getTypeIdResolver().getDescForKnownTypeIds())
        && names.getDefaultImpl() == null) {
      return type.getRawClass().getName()
          + " is written with a name of its class, and no class is known by one; list them in @JsonSubTypes";
    }
    for (NamedType known :
        config
            .getSubtypeResolver()
            .collectAndResolveSubtypesByTypeId(config, readers.introspectClassAnnotations(type))) {
      JavaType subtype = readers.constructSpecializedType(type, known.getType());
      String error = subtype.isConcrete() ? made(subtype) : null;
      if (error != null) {
        return error;
      }
    }
    return null;
  }

  private @Nullable String made(JavaType type) {
    return findError(type, readers.findContextualValueDeserializer(type, null));
  }

  private @Nullable String findError(JavaType type, ValueDeserializer<?> reader) {
    String name = type.getRawClass().getName();
    if (AutoCloseable.class.isAssignableFrom(type.getRawClass())) {
      return name + " is a resource, not a value";
    }
    if (reader instanceof UnsupportedTypeDeserializer) {
      return unsupported(name);
    }
    if (reader instanceof AbstractDeserializer && !type.isJavaLangObject()) {
      return name + " is abstract, and nothing says which class to make";
    }
    if (!seen.add(type)) {
      return null;
    }
    if (reader instanceof ContainerDeserializerBase<?> container) {
      return ofContent(type, container.getContentDeserializer());
    }
    if (reader instanceof ReferenceTypeDeserializer) {
      return ofContent(type, null);
    }
    return reader instanceof BeanDeserializerBase bean ? ofBean(type, bean) : null;
  }

  private static String unsupported(String name) {
    return name
        + " is not known to Jackson without a module; register jackson-datatype-jsr310 for java.time, jackson-datatype-jdk8 for Optional";
  }

  private @Nullable String ofContent(JavaType type, @Nullable ValueDeserializer<?> reader) {
    JavaType key = type.getKeyType();
    String error = key == null ? null : findError(key);
    JavaType content = type.getContentType();
    if (error != null || content == null) {
      return error;
    }
    return reader == null || readers.findTypeDeserializer(content) != null
        ? findError(content)
        : findError(content, reader);
  }

  private @Nullable String ofBean(JavaType type, BeanDeserializerBase bean) {
    String name = type.getRawClass().getName();
    ValueInstantiator maker = bean.getValueInstantiator();
    if (!maker.canInstantiate()) {
      return name + " has no constructor that Jackson could call";
    }
    ValueSerializer<Object> writer = writers.findValueSerializer(type);
    if (writer instanceof UnknownSerializer) {
      return name + " has nothing that Jackson would write";
    }
    if (maker.canCreateUsingDelegate()) {
      return findError(maker.getDelegateType(config)); // which is read as a whole
    }
    boolean isValue = writer instanceof JsonValueSerializer;
    if (isValue && !isReadAsValue(type, maker)) {
      return name
          + " is written as its @JsonValue, and nothing makes one of that again; give it a @JsonCreator that takes it";
    }
    Set<String> read = new HashSet<>();
    Set<String> written = new HashSet<>();
    for (Iterator<SettableBeanProperty> parts = bean.properties(); parts.hasNext(); ) {
      SettableBeanProperty part = parts.next();
      if (part.isIgnorable()) {
        continue; // a parameter of the constructor that gets nothing: @JsonIgnore, or read-only
      }
      read.add(part.getName());
      if (part.getInjectableValueId() != null || isBack(part)) {
        written.add(part.getName()); // the program gives it, or what it is part of
      }
      String error = ofPart(part);
      if (error != null) {
        return error;
      }
    }
    for (Iterator<PropertyWriter> parts = writer.properties(); parts.hasNext(); ) {
      PropertyWriter part = parts.next();
      written.add(part.getName());
      if (part instanceof BeanPropertyWriter of) {
        if (of.getSerializer() instanceof UnsupportedTypeSerializer) {
          return unsupported(of.getType().getRawClass().getName());
        }
        String error = of.isUnwrapping() ? findError(of.getType()) : null;
        if (error != null) {
          return error;
        }
        if (of.isUnwrapping()) {
          read.add(part.getName()); // by the names of its parts
        }
      }
    }
    return isValue ? null : LostState.findError(type.getRawClass(), written, read);
  }

  private boolean isBack(SettableBeanProperty part) {
    AnnotatedMember member = part.getMember();
    AnnotationIntrospector.ReferenceProperty reference =
        member == null
            ? null
            : config.getAnnotationIntrospector().findReferenceType(config, member);
    return reference != null && reference.isBackReference();
  }

  /** With the reader that it has at that place, which may be one of its own. */
  private @Nullable String ofPart(SettableBeanProperty part) {
    TypeDeserializer names = part.getValueTypeDeserializer();
    if (names != null) {
      return findError(part.getType(), names);
    }
    return part.hasValueDeserializer()
        ? findError(part.getType(), part.getValueDeserializer())
        : findError(part.getType());
  }

  /** Whether what {@code @JsonValue} gives is something that it can be made of. */
  private boolean isReadAsValue(JavaType type, ValueInstantiator maker) {
    if (maker.canCreateFromString()
        || maker.canCreateFromInt()
        || maker.canCreateFromLong()
        || maker.canCreateFromBigInteger()
        || maker.canCreateFromDouble()
        || maker.canCreateFromBigDecimal()
        || maker.canCreateFromBoolean()
        || maker.canCreateUsingArrayDelegate()) {
      return true;
    }
    AnnotatedMember value =
        writers
            .introspectBeanDescription(type, writers.introspectClassAnnotations(type))
            .findJsonValueAccessor();
    if (value == null) {
      return true; // a writer of the application's own
    }
    // An object can be read by properties; of which it will have, nothing is known.
    JavaType given = value.getType();
    return given.isMapLikeType()
        || given.isJavaLangObject()
        || readers.findRootValueDeserializer(given) instanceof BeanDeserializerBase;
  }

  /** What the JSON of values of this type leaves out; null if nothing is known to be. */
  @Nullable String omission(JavaType type) {
    if (!seen.add(type)) {
      return null;
    }
    for (JavaType part : new JavaType[] {type.getKeyType(), type.getContentType()}) {
      String omission = part == null ? null : omission(part);
      if (omission != null) {
        return omission;
      }
    }
    ValueSerializer<Object> writer = writers.findValueSerializer(type);
    if (writer instanceof UnknownSerializer) {
      // What has no state is the same each time; of what is abstract, the call decides.
      return type.isConcrete() && LostState.hasState(type.getRawClass())
          ? type.getRawClass().getName() + " has nothing that Jackson would write"
          : null;
    }
    if (!(writer instanceof BeanSerializerBase)) {
      return null; // a plain value, or written as somebody wants it
    }
    Set<String> written = new HashSet<>();
    for (Iterator<PropertyWriter> parts = writer.properties(); parts.hasNext(); ) {
      PropertyWriter part = parts.next();
      written.add(part.getName());
      String omission =
          part instanceof BeanPropertyWriter of && !hasOwnWriter(of)
              ? omission(of.getType())
              : null;
      if (omission != null) {
        return omission;
      }
    }
    return LostState.unwritten(type.getRawClass(), written, readOf(type));
  }

  private boolean hasOwnWriter(BeanPropertyWriter part) {
    ValueSerializer<Object> writer = part.getSerializer();
    return writer != null
        && writer.getClass() != writers.findValueSerializer(part.getType()).getClass();
  }

  /** The properties that a value is made of; none if it is not known how to make one. */
  private Set<String> readOf(JavaType type) {
    Set<String> read = new HashSet<>();
    try {
      if (readers.findContextualValueDeserializer(type, null)
          instanceof BeanDeserializerBase bean) {
        for (Iterator<SettableBeanProperty> parts = bean.properties(); parts.hasNext(); ) {
          SettableBeanProperty part = parts.next();
          if (!part.isIgnorable() && part.getInjectableValueId() == null && !isBack(part)) {
            read.add(part.getName());
          }
        }
      }
    } catch (JacksonException e) {
      return Set.of(); // an argument need not be readable
    }
    return read;
  }
}
