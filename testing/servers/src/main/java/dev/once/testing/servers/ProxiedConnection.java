package dev.once.testing.servers;

import dev.once.testing.servers.FaultProxy.Mode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** One connection through a {@link FaultProxy}: two sockets, and a thread for each direction. */
final class ProxiedConnection {

  private static final int CHUNK = 64 * 1024;

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server = new Socket();
  private final AtomicBoolean ended = new AtomicBoolean();

  /** Once bytes are missing, what follows them makes no sense to anybody. */
  private volatile boolean mute;

  ProxiedConnection(FaultProxy proxy, Socket client) {
    this.proxy = proxy;
    this.client = client;
  }

  boolean isMute() {
    return mute;
  }

  void start(InetSocketAddress address) {
    daemon("to " + address.getPort(), () -> pump(address));
  }

  private void pump(InetSocketAddress address) {
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(address);
      daemon("from " + address.getPort(), () -> pump(server, client, true));
    } catch (IOException e) {
      reset(); // the server is not there, or this was reset before it began
      return;
    }
    pump(client, server, false);
  }

  private void pump(Socket from, Socket to, boolean replies) {
    byte[] chunk = new byte[CHUNK];
    try {
      for (int read = read(from, chunk, replies); read >= 0; read = read(from, chunk, replies)) {
        if (lets(replies)) {
          to.getOutputStream().write(chunk, 0, read);
        }
      }
      end();
    } catch (IOException e) {
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  private int read(Socket from, byte[] chunk, boolean replies) throws IOException {
    try {
      return from.getInputStream().read(chunk);
    } catch (IOException e) {
      if (!replies && !ended.get()) {
        proxy.resetByClient();
      }
      throw e;
    }
  }

  /** Whether what has just arrived goes on to the other side. */
  private boolean lets(boolean replies) throws InterruptedException, IOException {
    long latency = proxy.latency().toMillis();
    if (latency > 0) {
      Thread.sleep(latency);
    }
    proxy.awaitOther(Mode.STALL);
    if (proxy.mode() == Mode.BLACKHOLE) {
      mute = true;
    }
    if (mute) {
      return false;
    }
    if (replies
        && proxy.mode() == Mode.DROP_REPLIES
        && ThreadLocalRandom.current().nextDouble() < proxy.share()) {
      proxy.replyLost();
      reset();
      throw new IOException("the reply was dropped");
    }
    if (replies && proxy.mode() == Mode.END_AT_REPLIES) {
      proxy.replyLost();
      throw new IOException("the reply was dropped");
    }
    return true;
  }

  /** One side ended: the other is told, but not while nothing gets through. */
  private void end() {
    try {
      proxy.awaitOther(Mode.STALL);
      proxy.awaitOther(Mode.BLACKHOLE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close(false);
  }

  /** Ends both sides with a RST. */
  void reset() {
    close(true);
  }

  private void close(boolean reset) {
    if (ended.compareAndSet(false, true)) {
      for (Socket socket : Arrays.asList(client, server)) {
        close(socket, reset);
      }
      proxy.ended(this);
    }
  }

  private static void close(Socket socket, boolean reset) {
    try (socket) {
      if (reset && socket.isConnected()) {
        socket.setSoLinger(true, 0);
      }
    } catch (IOException e) {
      // It is gone already, which is what was wanted.
    }
  }

  static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
