package dev.once.http.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A certificate and a key that fit each other, as they were when they were read.
 *
 * <p>A certificate of another key looks like any other, and only the handshakes fail: so the key
 * signs something here, and the certificate must confirm it.
 */
record TlsPair(PemKeyCertOptions options, X509Certificate certificate) {

  private static final int LARGEST_FILE = 1024 * 1024;
  private static final byte[] SIGNED = {'o', 'n', 'c', 'e'};

  /**
   * Reads both files.
   *
   * @throws GatewayException if they are not what they should be, or do not fit each other
   */
  static TlsPair read(GatewaySettings.Tls tls) {
    PemKeyCertOptions options =
        new PemKeyCertOptions()
            .setCertValue(bytes(tls.certificate()))
            .setKeyValue(bytes(tls.key()));
    try {
      TlsPair pair = of(options);
      if (pair != null) {
        return pair;
      }
    } catch (Exception e) { // what Vert.x says of a file that is not PEM
      throw new GatewayException(
          "tls: %s, %s: %s (expected: a certificate and its private key, in PEM)"
              .formatted(tls.certificate(), tls.key(), e.getMessage()),
          e);
    }
    throw new GatewayException(
        "tls: %s does not fit %s (expected: the private key of the first certificate in the file)"
            .formatted(tls.key(), tls.certificate()),
        null);
  }

  /**
   * Reads the certificates that are trusted: else only the first request would show what they are.
   *
   * @throws GatewayException if there are none
   */
  static Collection<? extends Certificate> readCertificates(Path file) {
    byte[] bytes = bytes(file).getBytes();
    try {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes));
      if (!found.isEmpty()) {
        return found;
      }
    } catch (CertificateException e) {
      // Told below, with what is expected.
    }
    throw new GatewayException(
        "upstream-ca: " + file + " (expected: one certificate or more, in PEM)", null);
  }

  private static Buffer bytes(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LARGEST_FILE + 1);
      if (bytes.length <= LARGEST_FILE) {
        return Buffer.buffer(bytes);
      }
    } catch (IOException e) {
      // Told below, with what is expected.
    }
    throw new GatewayException("tls: " + file + " (expected: a readable file in PEM)", null);
  }

  /** Null if they do not fit. */
  private static @Nullable TlsPair of(PemKeyCertOptions options) throws Exception {
    for (KeyManager manager : options.getKeyManagerFactory(null).getKeyManagers()) {
      for (String kind : new String[] {"RSA", "RSASSA-PSS", "EC", "EdDSA"}) {
        String[] aliases = ((X509KeyManager) manager).getServerAliases(kind, null);
        for (String alias : aliases == null ? new String[0] : aliases) {
          X509Certificate first = ((X509KeyManager) manager).getCertificateChain(alias)[0];
          PrivateKey key = ((X509KeyManager) manager).getPrivateKey(alias);
          return fit(key, first.getPublicKey()) ? new TlsPair(options, first) : null;
        }
      }
    }
    throw new GeneralSecurityException("no key of RSA, EC or EdDSA");
  }

  private static boolean fit(PrivateKey key, PublicKey certified) {
    try {
      Signature signature = Signature.getInstance(algorithm(key));
      signature.initSign(key);
      signature.update(SIGNED);
      byte[] signed = signature.sign();
      signature.initVerify(certified);
      signature.update(SIGNED);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // of another kind, or of another curve
    }
  }

  private static String algorithm(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      default -> key.getAlgorithm();
    };
  }

  Instant validUntil() {
    return certificate.getNotAfter().toInstant();
  }

  boolean isExpired(Instant now) {
    return validUntil().isBefore(now);
  }
}
