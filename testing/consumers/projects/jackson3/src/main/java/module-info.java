/** Values as JSON, by Jackson 3 alone. */
@SuppressWarnings("module") // its name ends in a digit
module consumer.jackson3 {
  requires tools.jackson.databind;
  requires dev.once.codecs.jackson;

  opens consumer.jackson3 to
      tools.jackson.databind;
}
