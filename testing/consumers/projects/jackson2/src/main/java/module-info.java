/** Values as JSON, by Jackson 2 alone. */
@SuppressWarnings("module") // its name ends in a digit
module consumer.jackson2 {
  requires com.fasterxml.jackson.databind;
  requires dev.once.codecs.jackson;

  opens consumer.jackson2 to
      com.fasterxml.jackson.databind;
}
