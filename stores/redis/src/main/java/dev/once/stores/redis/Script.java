package dev.once.stores.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/** A Lua script, and the name by which a server knows it once it has seen it. */
final class Script {

  /**
   * In Redis 7 and later: may use memory beyond {@code maxmemory}. An operation that was granted
   * may end, also when the server is full; only new ones are refused.
   */
  private static final String MAY_EXCEED_MEMORY = "#!lua flags=allow-oom\n";

  private final byte[] text;
  private final byte[] sha;

  private Script(String source) {
    text = source.getBytes(StandardCharsets.UTF_8);
    sha = sha1(text);
  }

  /** The one in this file. */
  static Script named(String name) {
    return new Script(read(name));
  }

  byte[] text() {
    return text;
  }

  byte[] sha() {
    return sha;
  }

  /**
   * All of them, for one kind of server.
   *
   * @param claim has no flags: without them, replies that write nothing are given by a full server
   */
  record All(
      Script claim,
      Script complete,
      Script release,
      Script withdraw,
      Script renew,
      Script find,
      Script look) {

    /**
     * @param atLeast7 whether every server knows flags and sharded channels
     * @param cluster whether to publish within a shard: else each message goes to every node
     */
    static All forServer(boolean atLeast7, boolean cluster) {
      String flags = atLeast7 ? MAY_EXCEED_MEMORY : "";
      String publish = atLeast7 && cluster ? "'SPUBLISH'" : "'PUBLISH'";
      return new All(
          new Script(read("claim")),
          new Script(flags + read("complete").replace("'PUBLISH'", publish)),
          new Script(read("release").replace("'PUBLISH'", publish)),
          new Script(read("withdraw").replace("'PUBLISH'", publish)),
          new Script(flags + read("renew")),
          new Script(read("find")),
          new Script(read("look")));
    }
  }

  private static String read(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] sha1(byte[] text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
      return HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-1: not in this JDK (expected: in every one)", e);
    }
  }
}
