package dev.once.http.semantics;

import dev.once.http.semantics.PolicyValue.Kind;
import dev.once.http.semantics.PolicyValue.Word;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * How values of one type are written by people, and what may stand there.
 *
 * @param expected what may stand there, for people
 * @param words all that may stand there, if that is a choice of words; or else empty
 * @param parse throws a RuntimeException if the text is not such a value
 */
record ValueType<T>(
    Kind kind,
    String expected,
    List<Word> words,
    Function<String, T> parse,
    Function<T, String> show) {

  static final ValueType<Boolean> BOOLEAN =
      new ValueType<>(
          Kind.BOOLEAN,
          "true or false",
          List.of(),
          ValueText::parseBoolean,
          value -> value ? "true" : "false");

  static final ValueType<String> HEADER_NAME =
      new ValueType<>(Kind.NAME, "a header name", List.of(), text -> text, name -> name);

  static final ValueType<Duration> DURATION =
      new ValueType<>(
          Kind.DURATION,
          "a duration such as 30s, 5m, 24h or 7d",
          List.of(),
          ValueText::parseDuration,
          ValueText::showDuration);

  static final ValueType<Integer> STATUS = number("400 to 599");

  static ValueType<Integer> number(String expected) {
    return new ValueType<>(
        Kind.NUMBER, expected, List.of(), Integer::valueOf, number -> Integer.toString(number));
  }

  static ValueType<Integer> bytes(int most) {
    return new ValueType<>(
        Kind.BYTES,
        "bytes, or with k or m; at most " + ValueText.showSize(most),
        List.of(),
        ValueText::parseSize,
        ValueText::showSize);
  }

  static ValueType<List<String>> list(String expected) {
    return new ValueType<>(
        Kind.LIST, expected, List.of(), ValueText::parseList, list -> String.join(", ", list));
  }

  /**
   * The constants of an enum.
   *
   * @param meaning what each of them means, for people
   */
  static <E extends Enum<E>> ValueType<E> words(Class<E> type, Function<E, String> meaning) {
    List<Word> words = new ArrayList<>();
    for (E word : type.getEnumConstants()) {
      words.add(new Word(ValueText.showWord(word), meaning.apply(word)));
    }
    return new ValueType<>(
        Kind.WORD,
        ValueText.choice(words.stream().map(Word::text).toList()),
        List.copyOf(words),
        text -> ValueText.parseWord(type, text),
        ValueText::showWord);
  }
}
