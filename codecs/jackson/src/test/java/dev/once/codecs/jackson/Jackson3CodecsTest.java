package dev.once.codecs.jackson;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.once.core.Codec;
import java.util.List;
import java.util.Map;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

class Jackson3CodecsTest extends CodecsContract {

  @Override
  JacksonCodecs codecs() {
    return new Jackson3Codecs();
  }

  @Override
  JacksonCodecs withTimestamps() {
    return new Jackson3Codecs(
        JsonMapper.builder().enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS).build());
  }

  @Override
  JacksonCodecs withoutEmpty() {
    return new Jackson3Codecs(
        JsonMapper.builder()
            .changeDefaultPropertyInclusion(
                any ->
                    JsonInclude.Value.construct(
                        JsonInclude.Include.NON_EMPTY, JsonInclude.Include.NON_EMPTY))
            .build());
  }

  @Override
  JacksonCodecs withClassNames() {
    return new Jackson3Codecs(
        JsonMapper.builder()
            .activateDefaultTyping(
                BasicPolymorphicTypeValidator.builder().allowIfSubType(Object.class).build())
            .build());
  }

  @Override
  Codec<Map<String, List<Receipt>>> generic() {
    return new Jackson3Codecs().of(new TypeReference<Map<String, List<Receipt>>>() {});
  }
}
