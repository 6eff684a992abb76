package dev.once.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Fetches one jar, and tries again if the connection breaks. A wrong checksum is refused. */
final class Download {

  private static final int ATTEMPTS = 3;
  private static final int TIMEOUT_MS = 30_000;
  private static final long PAUSE_MS = 300;
  private static final int BUFFER = 64 * 1024;
  private static final int TOO_MANY_REQUESTS = 429;

  private final Origin origin;
  private final Progress progress;

  Download(Origin origin, Progress progress) {
    this.origin = origin;
    this.progress = progress;
  }

  /** Writes the jar to a file, which is whole and right afterwards. */
  void to(Path file, Jar jar) throws CannotException, RefusedException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        attempt(file, jar);
        return;
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw new CannotException(url(jar) + ": " + e);
        }
        Thread.sleep(PAUSE_MS * attempt);
      }
    }
  }

  private void attempt(Path file, Jar jar)
      throws IOException, CannotException, RefusedException, InterruptedException {
    HttpURLConnection connection = open(jar);
    int status = connection.getResponseCode();
    if (status >= 500 || status == TOO_MANY_REQUESTS) {
      throw new IOException("status " + status);
    }
    if (status != HttpURLConnection.HTTP_OK) {
      throw new CannotException(url(jar) + ": status " + status);
    }
    MessageDigest digest = Jar.newDigest();
    long bytes = 0;
    boolean whole = false;
    try (InputStream in = connection.getInputStream();
        OutputStream out = Files.newOutputStream(file)) {
      byte[] buffer = new byte[BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        out.write(buffer, 0, read);
        digest.update(buffer, 0, read);
        bytes += read;
        progress.add(read);
      }
      if (bytes < jar.bytes()) { // the JDK does not tell that a connection ended too early
        throw new IOException("ended after " + bytes + " of " + jar.bytes() + " bytes");
      }
      whole = true;
    } finally {
      if (!whole) {
        progress.add(-bytes);
      }
    }
    String sha256 = HexFormat.of().formatHex(digest.digest());
    if (!sha256.equals(jar.sha256())) {
      String expected = " (expected: " + jar.sha256() + "); it is not used";
      throw new RefusedException(url(jar) + ": SHA-256 " + sha256 + expected);
    }
  }

  private HttpURLConnection open(Jar jar) throws IOException {
    URL url = URI.create(url(jar)).toURL();
    HttpURLConnection connection =
        (HttpURLConnection)
            (origin.proxy().isPresent()
                ? url.openConnection(origin.proxy().get().proxy())
                : url.openConnection());
    connection.setAuthenticator(origin.authenticator());
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    connection.setRequestProperty("User-Agent", "once-launcher");
    return connection;
  }

  private String url(Jar jar) {
    return origin.url() + "/" + jar.path();
  }
}
