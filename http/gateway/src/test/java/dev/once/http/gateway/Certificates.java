package dev.once.http.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Certificates for localhost, made by the JDK's keytool, as files in PEM. */
final class Certificates {

  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final Map<String, Certificates> MADE = new ConcurrentHashMap<>();

  private final Certificate certificate;
  private final Key key;

  private Certificates(Certificate certificate, Key key) {
    this.certificate = certificate;
    this.key = key;
  }

  /** One for localhost, whose owner has this name. Made once. */
  static Certificates of(String owner) {
    return MADE.computeIfAbsent(owner, any -> make(owner, "-1d"));
  }

  /** One that was valid a month ago. */
  static Certificates expired(String owner) {
    return make(owner, "-60d");
  }

  /** Valid for a month. */
  private static Certificates make(String owner, String from) {
    try {
      Path folder = Files.createTempDirectory("certificates");
      Path file = folder.resolve("store.p12");
      String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
      Process process =
          new ProcessBuilder(
                  List.of(
                      keytool,
                      "-genkeypair",
                      "-alias",
                      "one",
                      "-keyalg",
                      "EC",
                      "-groupname",
                      "secp256r1",
                      "-dname",
                      "CN=" + owner,
                      "-ext",
                      "SAN=dns:localhost,ip:127.0.0.1",
                      "-storetype",
                      "PKCS12",
                      "-keystore",
                      file.toString(),
                      "-storepass",
                      new String(PASSWORD),
                      "-startdate",
                      from,
                      "-validity",
                      "30"))
              .inheritIO()
              .start();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("keytool: exit code " + process.exitValue());
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(file)) {
        store.load(in, PASSWORD);
      }
      Files.delete(file);
      Files.delete(folder);
      return new Certificates(store.getCertificate("one"), store.getKey("one", PASSWORD));
    } catch (IOException | GeneralSecurityException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  String owner() {
    return ((X509Certificate) certificate).getSubjectX500Principal().getName();
  }

  /** Writes both files. */
  GatewaySettings.Tls writeTo(Path folder) throws IOException, GeneralSecurityException {
    Path certificateFile = folder.resolve("certificate.pem");
    Path keyFile = folder.resolve("key.pem");
    Files.writeString(keyFile, pem("PRIVATE KEY", key.getEncoded()));
    Files.writeString(certificateFile, pem("CERTIFICATE", certificate.getEncoded()));
    return new GatewaySettings.Tls(certificateFile, keyFile);
  }

  private static String pem(String what, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what);
  }

  /** For the server of a test. */
  SSLContext serving() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, PASSWORD);
    store.setKeyEntry("one", key, PASSWORD, new Certificate[] {certificate});
    var keys = javax.net.ssl.KeyManagerFactory.getInstance("PKIX");
    keys.init(store, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /** For clients: trusts whatever is for localhost. */
  static SSLContext trusting() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, null);
    return context;
  }

  private static final class TrustsAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
