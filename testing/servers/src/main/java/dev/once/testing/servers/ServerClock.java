package dev.once.testing.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A real clock for servers, which can be set while they run: a small library that is loaded into
 * them shifts what the system says. It is compiled at the first use; without a C compiler, and on a
 * system that is not Linux, the test is skipped.
 */
public final class ServerClock {

  private static @Nullable Path library;

  private final Path shift;

  private ServerClock(Path shift) {
    this.shift = shift;
  }

  /** One that goes right. */
  public static ServerClock create() {
    library(); // skips here, not when a server starts
    try {
      Path file = Files.createTempFile("once-clock-", "");
      file.toFile().deleteOnExit();
      ServerClock clock = new ServerClock(file);
      clock.set(Duration.ZERO);
      Commands.run("chmod", "a+r", file.toString()); // a server may have a user of its own
      return clock;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** So much ahead of the machine's, or behind it; in one step, for all servers that have it. */
  public void set(Duration ahead) {
    ByteBuffer micros = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    micros.putLong(0, ahead.toNanos() / 1000);
    try (FileChannel file = FileChannel.open(shift, StandardOpenOption.WRITE)) {
      file.write(micros, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Servers that are started there have this clock. */
  ServerPlace place() {
    List<String> words = new ArrayList<>(List.of("env"));
    environment().forEach((name, value) -> words.add(name + "=" + value));
    return new ServerPlace(ServerPlace.HERE.address(), ServerPlace.HERE.bind(), List.copyOf(words));
  }

  /** Any process that is started with these variables has this clock. */
  public Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library().toString(), "TEST_CLOCK", shift.toString());
  }

  /** Compiled once. */
  private static synchronized Path library() {
    Path known = library;
    if (known == null) {
      known = compile();
      library = known;
    }
    return known;
  }

  private static Path compile() {
    Assumptions.assumeTrue(
        System.getProperty("os.name").equals("Linux"), "clocks of servers: only on Linux");
    Assumptions.assumeTrue(
        Commands.works("cc", "--version"), "cc: not installed (expected: a C compiler)");
    try (InputStream source = ServerClock.class.getResourceAsStream("clock.c")) {
      Path folder = Files.createTempDirectory("once-clock-");
      Path code = folder.resolve("clock.c");
      Path library = folder.resolve("clock.so");
      Files.write(code, Objects.requireNonNull(source, "clock.c").readAllBytes());
      Commands.run("cc", "-O1", "-shared", "-fPIC", "-o", library.toString(), code.toString());
      Commands.run("chmod", "-R", "a+rX", folder.toString());
      for (Path path : List.of(folder, code, library)) {
        path.toFile().deleteOnExit(); // in reverse order
      }
      return library;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
