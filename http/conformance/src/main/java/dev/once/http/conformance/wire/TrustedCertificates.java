package dev.once.http.conformance.wire;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Whose certificates are accepted. */
final class TrustedCertificates {

  private TrustedCertificates() {}

  /** The JDK's own rules, or, only where somebody asked for it by name, none. */
  static SSLContext context(boolean insecure) {
    try {
      if (!insecure) {
        return SSLContext.getDefault();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new TrustAll()}, null);
      return context;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("TLS: missing (expected: in every JDK)", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("TLS: cannot be set up (expected: in every JDK)", e);
    }
  }

  /** Extended, because the JDK adds its check of the host name to any other kind. */
  private static final class TrustAll extends X509ExtendedTrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
