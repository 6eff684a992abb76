package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;

/** An account as {@code GET /ledger} shows it. It is exact: the entries add up to the balance. */
record Books(long balance, List<Long> amounts) {

  private static final Pattern BALANCE = Pattern.compile("\"balance\":(-?\\d+)");
  private static final Pattern AMOUNT = Pattern.compile("\"amount\":(-?\\d+)");

  static Books of(String json) {
    Books books = new Books(all(BALANCE, json).get(0), all(AMOUNT, json));
    assertThat(books.amounts().stream().mapToLong(Long::longValue).sum())
        .as("the sum of " + json)
        .isEqualTo(books.balance());
    return books;
  }

  private static List<Long> all(Pattern pattern, String json) {
    return pattern.matcher(json).results().map(it -> Long.valueOf(it.group(1))).toList();
  }

  /** What has been booked since then. */
  List<Long> since(Books before) {
    assertThat(amounts.subList(0, before.amounts().size())).isEqualTo(before.amounts());
    return amounts.subList(before.amounts().size(), amounts.size());
  }
}
