package dev.once.codecs.jackson;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import dev.once.core.Codec;
import java.util.List;
import java.util.Map;

class Jackson2CodecsTest extends CodecsContract {

  @Override
  JacksonCodecs codecs() {
    return new Jackson2Codecs();
  }

  @Override
  JacksonCodecs withTimestamps() {
    return new Jackson2Codecs(
        JsonMapper.builder()
            .findAndAddModules()
            .enable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .build());
  }

  @Override
  JacksonCodecs withoutEmpty() {
    return new Jackson2Codecs(
        JsonMapper.builder()
            .findAndAddModules()
            .defaultPropertyInclusion(
                JsonInclude.Value.construct(
                    JsonInclude.Include.NON_EMPTY, JsonInclude.Include.NON_EMPTY))
            .build());
  }

  @Override
  JacksonCodecs withClassNames() {
    return new Jackson2Codecs(
        JsonMapper.builder()
            .activateDefaultTyping(
                BasicPolymorphicTypeValidator.builder().allowIfSubType(Object.class).build())
            .build());
  }

  @Override
  Codec<Map<String, List<Receipt>>> generic() {
    return new Jackson2Codecs().of(new TypeReference<Map<String, List<Receipt>>>() {});
  }
}
