package dev.once.http.surfaces;

/** A way in over HTTP that runs, with a store behind it and the {@link Policies} in force. */
interface Surface extends AutoCloseable {

  FaultyStore store();

  /**
   * Where clients connect.
   *
   * @param first whether it is for the first request of its case
   */
  int port(Behaviour behaviour, boolean first);

  /** Closes the engine under a surface that still takes requests. */
  void closeEngine();

  @Override
  void close();

  /** All of them. */
  enum Kind {
    GATEWAY("gateway"),
    MVC("Spring MVC"),
    WEBFLUX("WebFlux");

    final String title;

    Kind(String title) {
      this.title = title;
    }

    Surface start() throws Exception {
      return switch (this) {
        case GATEWAY -> new GatewaySurface();
        case MVC -> SpringSurface.mvc();
        case WEBFLUX -> SpringSurface.webFlux();
      };
    }

    @Override
    public String toString() {
      return title;
    }
  }
}
