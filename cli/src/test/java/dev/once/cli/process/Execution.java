package dev.once.cli.process;

/**
 * One time that the upstream did what it was asked for.
 *
 * @param id new for each, and part of the answer
 * @param sender the first part of the path, by which gateways of one test can be told apart; empty
 *     if they need not be
 * @param key what came in either of the key headers; empty if nothing did
 * @param fence 0 if there was none
 * @param attempt 0 if it was not said
 */
record Execution(
    int id,
    String sender,
    String method,
    String path,
    String key,
    String body,
    long fence,
    int attempt) {}
