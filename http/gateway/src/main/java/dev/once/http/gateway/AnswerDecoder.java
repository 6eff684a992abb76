package dev.once.http.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answers on one connection to the upstream, one for each request:
 *
 * <ol>
 *   <li>Bytes that come while nothing is asked answer nothing: they are dropped, and the connection
 *       is not used again.
 *   <li>Interim answers (1xx) are dropped, but for 100, which a client may wait for, and for a 101
 *       that was asked for.
 *   <li>With the end of the answer the question is answered. Bytes that follow are like those of 1.
 * </ol>
 *
 * A connection is also not used again if its answer can have no body (HEAD, 204, 304) and announces
 * one: it may still come, and nobody could tell it from the next answer.
 */
final class AnswerDecoder extends HttpResponseDecoder {

  /** A recorded answer keeps up to half of it; beyond, its status and digest. */
  static final int LONGEST_HEAD = 128 * 1024;

  private static final int LONGEST_LINE = 8 * 1024;

  /** What was asked, until it is answered; null if nothing is. */
  private @Nullable HttpRequest pendingRequest;

  /** Of the answer that came, or comes. */
  private @Nullable HttpHeaders head;

  /** The body, if it comes in chunks. */
  private @Nullable ChunkedBodyDecoder chunks;

  /** Whether this answer is the last on its connection. */
  private boolean lastOnConnection;

  /** Whether the connection is of no use any more, and all that comes is dropped. */
  private boolean unusable;

  private boolean reading;

  /** When something was last read, in nanoseconds, and whether that was all that had come. */
  private long readAt;

  private boolean readAll;

  /** When something was read before the last time. */
  private long previousReadAt;

  private final UnsolicitedBytes unsolicited;
  private final boolean tls;

  /** Whether the upstream said that it sends no more; only TLS has a way to say so. */
  private boolean closeNotified;

  AnswerDecoder(HttpHeadersFactory fields, UnsolicitedBytes unsolicited, boolean tls) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(LONGEST_LINE)
            .setMaxHeaderSize(LONGEST_HEAD)
            .setStrictLineParsing(false)
            .setAllowDuplicateContentLengths(true)
            .setHeadersFactory(fields));
    this.unsolicited = unsolicited;
    this.tls = tls;
  }

  /** A request is about to be written. */
  void requestSending(HttpRequest request) {
    pendingRequest = request;
    head = null;
    lastOnConnection = false;
  }

  boolean isUnusable() {
    return unusable;
  }

  /** Whether the last read was after that time, and took all that had come. */
  boolean hasReadAllSince(long nanoTime) {
    return readAll && readAt - nanoTime > 0;
  }

  /** Whether the connection is in the middle of reading from its socket. */
  boolean isReading() {
    return reading;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object input) throws Exception {
    reading = true;
    previousReadAt = readAt;
    readAt = System.nanoTime();
    readAll = input instanceof ByteBuf bytes && bytes.isWritable();
    super.channelRead(context, input);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    super.channelReadComplete(context);
    reading = false;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws Exception {
    if (pendingRequest == null && !unusable) {
      discard(in, "without being asked", readAt - previousReadAt);
    }
    if (unusable) {
      in.skipBytes(in.readableBytes());
      return;
    }
    int before = out.size();
    if (chunks == null) {
      super.decode(context, in, out);
    } else {
      readChunks(chunks, in, out);
    }
    if (out.size() > before && out.get(before) instanceof DefaultHttpResponse response) {
      begin(response, out, before);
    }
    if (out.size() > before && head != null && out.get(out.size() - 1) instanceof LastHttpContent) {
      end(in);
    }
  }

  void closeNotifyReceived() {
    closeNotified = true;
  }

  /**
   * Without a length, an answer ends with its connection. Over TLS it is whole only if the upstream
   * said so (RFC 9112, 9.8): else somebody cut it off.
   */
  @Override
  protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws Exception {
    int before = out.size();
    super.decodeLast(context, in, out);
    int end = out.size() - 1;
    if (tls && !closeNotified && end >= before && out.get(end) instanceof LastHttpContent last) {
      last.release();
      out.set(
          end,
          truncated(
              new BadAnswerException("the connection was cut off in the middle of the answer")));
    }
  }

  private static LastHttpContent truncated(BadAnswerException why) {
    LastHttpContent end = new DefaultLastHttpContent();
    end.setDecoderResult(DecoderResult.failure(why));
    return end;
  }

  private void readChunks(ChunkedBodyDecoder body, ByteBuf in, List<Object> out) {
    try {
      if (body.decode(in, out)) {
        chunks = null;
        reset();
      }
    } catch (BadAnswerException e) {
      unusable = true;
      out.add(truncated(e));
    }
  }

  private void begin(HttpResponse response, List<Object> out, int at) {
    int status = response.status().code();
    if (response.decoderResult().isFailure()) {
      unusable = true;
    } else if (status < 100 || status > 999 || (status == 101 && !isUpgradeAsked())) {
      unusable = true;
      response.setDecoderResult(
          DecoderResult.failure(
              new BadAnswerException("status: " + status + " (expected: 200 to 599)")));
    } else if (status >= 200) {
      head = response.headers();
      lastOnConnection |= !HttpUtil.isKeepAlive(response) || unsolicited.wereSeenLately();
    } else if (status != 100 && status != 101) {
      out.subList(at, out.size()).clear();
    }
  }

  /** Only for WebSockets, which are not recorded. */
  private boolean isUpgradeAsked() {
    return pendingRequest != null && pendingRequest.headers().contains(HttpHeaderNames.UPGRADE);
  }

  private void end(ByteBuf in) {
    pendingRequest = null;
    if (in.isReadable()) {
      discard(in, "after its answer", 0);
    } else if (lastOnConnection) {
      markUnusable();
    }
  }

  private void discard(ByteBuf bytes, String when, long idleNanos) {
    unsolicited.dropped(bytes.readableBytes(), when, idleNanos);
    bytes.skipBytes(bytes.readableBytes());
    markUnusable();
  }

  /**
   * Vert.x closes a connection by itself if its answer says so, in the right moment: when the end
   * of the answer was taken, and before somebody else could have the connection.
   */
  private void markUnusable() {
    unusable = true;
    if (head != null) {
      List<String> lines = head.getAll(HttpHeaderNames.CONNECTION);
      head.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      for (String line : lines) {
        head.add(HttpHeaderNames.CONNECTION, line);
      }
    }
  }

  // What Netty asks of a head that it has read.

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    int status = ((HttpResponse) message).status().code();
    if (status < 200) {
      return true;
    }
    HttpHeaders headers = message.headers();
    List<String> encodings =
        headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
            ? headers.getAll(HttpHeaderNames.TRANSFER_ENCODING)
            : List.of();
    if (isHead() || status == 204 || status == 304) {
      String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
      lastOnConnection |= !encodings.isEmpty() || (length != null && !length.equals("0"));
      return true;
    }
    if (!encodings.isEmpty()) {
      if (encodings.size() > 1 || !encodings.get(0).equalsIgnoreCase("chunked")) {
        throw new BadAnswerException("Transfer-Encoding: another than chunked (expected: chunked)");
      }
      lastOnConnection |= !message.protocolVersion().equals(HttpVersion.HTTP_1_1);
      chunks = new ChunkedBodyDecoder(LONGEST_HEAD);
    }
    return false;
  }

  private boolean isHead() {
    return pendingRequest != null && pendingRequest.method().equals(HttpMethod.HEAD);
  }

  /** The chunks are right, but whoever sends such a thing is not to be trusted with more. */
  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    super.handleTransferEncodingChunkedWithContentLength(message);
    lastOnConnection = true;
  }
}
