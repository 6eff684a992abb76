package dev.once.http.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A servlet container on a free port, with one servlet for all paths. */
interface Container extends AutoCloseable {

  /**
   * What runs in it.
   *
   * @param filters from the outside in
   * @param dispatches what each of them is registered for
   * @param errorPage the path that errors of all kinds are dispatched to; null: none
   * @param uploads where multipart files go; null: multipart is not configured
   */
  record Application(
      List<Filter> filters,
      Set<DispatcherType> dispatches,
      Servlet servlet,
      @Nullable String errorPage,
      @Nullable Path uploads) {

    /** Each filter for REQUEST, ASYNC and ERROR, as the guide says. */
    Application(
        List<Filter> filters, Servlet servlet, @Nullable String errorPage, @Nullable Path uploads) {
      this(
          filters,
          Set.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR),
          servlet,
          errorPage,
          uploads);
    }
  }

  int port();

  @Override
  void close() throws Exception;
}
