package dev.once.codecs.jackson;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
  Codec<Map<String, List<Receipt>>> generic() {
    return new Jackson2Codecs().of(new TypeReference<Map<String, List<Receipt>>>() {});
  }
}
