package dev.once.http.gateway;

import dev.once.core.Bytes;
import io.netty.util.NetUtil;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The addresses of proxies in front of the gateway that are trusted to name the client. */
public record TrustedProxies(List<Range> ranges) {

  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

  public TrustedProxies {
    ranges = List.copyOf(ranges);
  }

  /**
   * Reads a list such as {@code 10.0.0.0/8, 192.0.2.7, fd00::/8}.
   *
   * @throws IllegalArgumentException if one of them is neither an address nor a range
   */
  public static TrustedProxies parse(String text) {
    return new TrustedProxies(
        Stream.of(text.split(",", -1))
            .map(String::strip)
            .filter(one -> !one.isEmpty())
            .map(Range::parse)
            .toList());
  }

  boolean contains(@Nullable String address) {
    if (address == null) {
      return false;
    }
    byte[] bytes = bytes(address);
    return bytes != null && ranges.stream().anyMatch(range -> range.contains(bytes));
  }

  /** Four bytes for an IPv4 address, also in the form of IPv6; null if it is no address. */
  private static byte @Nullable [] bytes(String address) {
    int zone = address.indexOf('%');
    byte[] bytes =
        NetUtil.createByteArrayFromIpAddressString(zone < 0 ? address : address.substring(0, zone));
    boolean mapped =
        bytes != null && bytes.length == 16 && Arrays.equals(bytes, 0, 12, MAPPED, 0, 12);
    return mapped ? Arrays.copyOfRange(bytes, 12, 16) : bytes;
  }

  /** The addresses whose first bits are these. */
  public record Range(Bytes address, int bits) {

    private static Range parse(String text) {
      int slash = text.indexOf('/');
      byte[] bytes = bytes(slash < 0 ? text : text.substring(0, slash));
      if (bytes == null) {
        throw new IllegalArgumentException(text);
      }
      int all = bytes.length * 8;
      int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
      if (bits < 0 || bits > all) {
        throw new IllegalArgumentException(text);
      }
      return new Range(Bytes.wrap(bytes), bits);
    }

    private boolean contains(byte[] other) {
      byte[] own = address.toArray();
      if (other.length != own.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((own[bit / 8] & mask) != (other[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }
  }
}
