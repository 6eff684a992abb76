package dev.once.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A file of a Maven repository, and what must be in it.
 *
 * @param classifier empty if it has none
 * @param sha256 in hexadecimal, small letters
 */
public record Jar(
    String group, String artifact, String version, String classifier, String sha256, long bytes) {

  /** {@code group:artifact:version[:classifier] sha256 bytes}. */
  static Jar parse(String text) {
    List<String> words = List.of(text.split(" ", -1));
    List<String> names = List.of(words.get(0).split(":", -1));
    if (words.size() != 3
        || names.size() < 3
        || names.size() > 4
        || !words.get(2).matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException(
          "'" + text + "' (expected: group:artifact:version[:classifier] sha256 bytes)");
    }
    String classifier = names.size() == 4 ? names.get(3) : "";
    long bytes = Long.parseLong(words.get(2));
    return new Jar(names.get(0), names.get(1), names.get(2), classifier, words.get(1), bytes);
  }

  /** The opposite of {@link #parse}. */
  String text() {
    return name() + (classifier.isEmpty() ? "" : ":" + classifier) + " " + sha256 + " " + bytes;
  }

  String name() {
    return module() + ":" + version;
  }

  /** {@code group:artifact}. */
  String module() {
    return group + ":" + artifact;
  }

  String fileName() {
    return artifact + "-" + version + (classifier.isEmpty() ? "" : "-" + classifier) + ".jar";
  }

  /** Where it is below a repository. */
  String path() {
    return group.replace('.', '/') + "/" + artifact + "/" + version + "/" + fileName();
  }

  boolean isIn(Path file) throws IOException {
    return Files.isRegularFile(file)
        && Files.size(file) == bytes
        && sha256.equals(HexFormat.of().formatHex(digest(file)));
  }

  /** The SHA-256 of a file. */
  public static byte[] digest(Path file) throws IOException {
    MessageDigest digest = newDigest();
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return digest.digest();
  }

  static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
