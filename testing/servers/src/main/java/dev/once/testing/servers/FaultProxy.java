package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy in front of a server, which breaks connections in the ways that networks do. It can
 * be switched at any time, from any thread, and what it is switched to holds for open connections
 * and for new ones. Thread-safe.
 *
 * <ul>
 *   <li>{@link #cut}: every open connection is reset; new ones are as before.
 *   <li>{@link #refuse}: every open connection is reset, and new ones are refused.
 *   <li>{@link #stall}: nothing arrives, and all of it arrives later, as in a partition that heals.
 *   <li>{@link #blackhole}: half-open. What is sent is lost, the end of a connection too, and
 *       nobody is told. A connection that lost something stays mute for ever, also when the others
 *       are healed.
 *   <li>{@link #dropReplies}: the request arrives and takes effect, its reply is lost, and the
 *       connection is reset.
 *   <li>{@link #endAtReplies}: the same, but the connection is closed, as a server does that ends.
 * </ul>
 */
public final class FaultProxy implements AutoCloseable {

  /** What happens to bytes at the moment. */
  enum Mode {
    PASS,
    STALL,
    BLACKHOLE,
    DROP_REPLIES,
    END_AT_REPLIES
  }

  private final int port;
  private final Set<ProxiedConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger lostReplies = new AtomicInteger();
  private final AtomicInteger resets = new AtomicInteger();

  private @Nullable ServerSocket listener;
  private @Nullable Thread acceptor;
  private boolean closed;

  // Guarded by this, and read without it: a connection sees a change at its next bytes.
  private volatile InetSocketAddress server;
  private volatile Mode mode = Mode.PASS;
  private volatile double share;
  private volatile Duration latency = Duration.ZERO;

  private FaultProxy(InetSocketAddress server) {
    this.server = server;
    this.port = Ports.free();
    listen();
  }

  /** A proxy for a port of this machine. */
  public static FaultProxy to(int port) {
    return new FaultProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** A proxy for the server of a URL. */
  public static FaultProxy to(String url) {
    URI uri = URI.create(url);
    return new FaultProxy(new InetSocketAddress(uri.getHost(), uri.getPort()));
  }

  /** Where it listens, on this machine. */
  public int port() {
    return port;
  }

  /** A URL of the server, led through this proxy. */
  public String url(String url) {
    URI uri = URI.create(url);
    String user = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo() + "@";
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return uri.getScheme() + "://" + user + "127.0.0.1:" + port + uri.getRawPath() + query;
  }

  /** How many connections there have been. */
  public int connections() {
    return connections.get();
  }

  public int openConnections() {
    return open.size();
  }

  /** How many open connections have lost bytes in a {@link #blackhole}. */
  int muteConnections() {
    return (int) open.stream().filter(ProxiedConnection::isMute).count();
  }

  /** How many replies were dropped. */
  public int lostReplies() {
    return lostReplies.get();
  }

  /** How many connections the client has ended by a reset: what was not sent yet is not sent. */
  public int resetsByClient() {
    return resets.get();
  }

  // Faults.

  /** All that is sent takes this much longer, each way. */
  public void latency(Duration latency) {
    this.latency = latency;
  }

  /** New connections lead to this port of this machine, as an address does that has moved. */
  public void leadTo(int port) {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Resets every open connection. */
  public void cut() {
    open.forEach(ProxiedConnection::reset);
  }

  /** Resets every open connection and refuses new ones, until healed. */
  public synchronized void refuse() {
    unlisten();
    cut();
  }

  /** Holds back all bytes, until healed. */
  public void stall() {
    change(Mode.STALL);
  }

  /** Loses all bytes, and tells nobody. */
  public void blackhole() {
    change(Mode.BLACKHOLE);
  }

  /** Loses the next reply on each connection, and resets it. */
  public void dropReplies() {
    dropReplies(1);
  }

  /**
   * Loses a share of all replies, each with its connection: over many requests, every kind of reply
   * is lost.
   */
  public synchronized void dropReplies(double share) {
    this.share = share;
    change(Mode.DROP_REPLIES);
  }

  /** Loses the next reply on each connection, and closes it in order. */
  public void endAtReplies() {
    change(Mode.END_AT_REPLIES);
  }

  /** From now on all is well, except for connections that lost bytes. */
  public synchronized void heal() {
    if (closed) {
      return;
    }
    latency = Duration.ZERO;
    change(Mode.PASS);
    if (listener == null) {
      listen();
    }
  }

  private synchronized void change(Mode next) {
    mode = next;
    notifyAll();
  }

  // For its connections.

  Mode mode() {
    return mode;
  }

  double share() {
    return share;
  }

  Duration latency() {
    return latency;
  }

  /** Waits while the mode is this one; false if the proxy was closed. */
  synchronized boolean awaitOther(Mode than) throws InterruptedException {
    while (mode == than && !closed) {
      wait();
    }
    return !closed;
  }

  void replyLost() {
    lostReplies.incrementAndGet();
  }

  void resetByClient() {
    resets.incrementAndGet();
  }

  void ended(ProxiedConnection connection) {
    open.remove(connection);
  }

  // Listening.

  private void listen() {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      listener = socket;
      acceptor = ProxiedConnection.daemon("proxy " + port, () -> accept(socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As long as a thread waits in accept, the system lets clients in and the port is taken. */
  private void unlisten() {
    try {
      if (listener != null && acceptor != null) {
        listener.close();
        acceptor.join();
        listener = null;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while port " + port + " was closed", e);
    }
  }

  private void accept(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        connections.incrementAndGet();
        ProxiedConnection connection = new ProxiedConnection(this, client);
        open.add(connection);
        if (socket.isClosed()) {
          connection.reset(); // it slipped through while the door was closed
        } else {
          connection.start(server);
        }
      } catch (IOException e) {
        if (!socket.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    unlisten();
    cut();
    notifyAll();
  }
}
