package dev.once.spring;

import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.ScopeRule.User;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * All of {@code once.*}. The values of the base policy stand at the top, as in the gateway's file;
 * {@link PolicyBinding} binds them by their table. A name that is not known is refused: a misspelt
 * {@code required} would protect nothing.
 */
@ConfigurationProperties(prefix = "once", ignoreUnknownFields = false)
public class OnceProperties {

  /** Named policy that the other values change. */
  private @Nullable String profile;

  private final Map<String, String> policy = new LinkedHashMap<>();

  private final StoreProperties store = new StoreProperties();
  private final ScopeProperties scope = new ScopeProperties();
  private final FilterProperties filter = new FilterProperties();
  private final PolicyPageProperties policyPage = new PolicyPageProperties();

  /**
   * Requests with a policy of their own. Each has a match, such as "POST /payments/**" or
   * "/refunds/*", and values of the policy; the first route that matches counts.
   */
  private List<Map<String, String>> routes = new ArrayList<>();

  /** Whether keys commit together with what handlers and methods write to the DataSource. */
  private boolean sameTransaction;

  /**
   * How long a duplicate waits for a transaction that has its key, before it is refused as busy. It
   * has a connection meanwhile.
   */
  private Duration sameTransactionWait = Duration.ofSeconds(1);

  /** Address of a page of your own that explains refusals; instead of the policy page. */
  private @Nullable URI docsUrl;

  public StoreProperties getStore() {
    return store;
  }

  public ScopeProperties getScope() {
    return scope;
  }

  public FilterProperties getFilter() {
    return filter;
  }

  public PolicyPageProperties getPolicyPage() {
    return policyPage;
  }

  public @Nullable String getProfile() {
    return profile;
  }

  public void setProfile(@Nullable String profile) {
    this.profile = profile;
  }

  /** What is said of the values of the base policy, by their labels. */
  Map<String, String> policy() {
    return policy;
  }

  public List<Map<String, String>> getRoutes() {
    return routes;
  }

  public void setRoutes(List<Map<String, String>> routes) {
    this.routes = routes;
  }

  public boolean isSameTransaction() {
    return sameTransaction;
  }

  /** Whether a method with this annotation is in same-transaction mode. */
  public boolean isSameTransaction(Idempotent idempotent) {
    return idempotent.sameTransaction().length == 0
        ? sameTransaction
        : idempotent.sameTransaction()[0];
  }

  public void setSameTransaction(boolean sameTransaction) {
    this.sameTransaction = sameTransaction;
  }

  public Duration getSameTransactionWait() {
    return sameTransactionWait;
  }

  public void setSameTransactionWait(Duration sameTransactionWait) {
    this.sameTransactionWait = sameTransactionWait;
  }

  /**
   * What the types of problems link to.
   *
   * @param root the path that the application is under; empty if it is under none
   */
  public URI docs(String root) {
    if (docsUrl != null) {
      return docsUrl;
    }
    return policyPage.isEnabled() && filter.isEnabled()
        ? policyPage.under(root)
        : URI.create("about:blank");
  }

  public @Nullable URI getDocsUrl() {
    return docsUrl;
  }

  public void setDocsUrl(@Nullable URI docsUrl) {
    this.docsUrl = docsUrl;
  }

  /** Where keys and answers are kept. */
  public static class StoreProperties {

    /** What keeps the keys. */
    public enum Kind {
      /** The DataSource, if there is one; or else the Redis; or else a file. */
      AUTO,
      /** A SQLite file, for one machine. */
      EMBEDDED,
      /** The application's DataSource. */
      DATA_SOURCE,
      /** The Redis of the application's connection factory. */
      REDIS
    }

    /** What keeps the keys. */
    private Kind kind = Kind.AUTO;

    /**
     * Another store than the application's own: memory:, sqlite:FILE, postgresql://HOST/DATABASE,
     * mariadb://HOST/DATABASE, redis://HOST, rediss://HOST, redis-sentinel://HOSTS#MASTER or
     * redis-cluster://HOSTS.
     */
    private @Nullable String url;

    /**
     * A Redis in front of a store that is a database, for replays: redis://HOST, rediss://HOST,
     * redis-sentinel://HOSTS#MASTER or redis-cluster://HOSTS. To lose it costs speed only.
     */
    private @Nullable String cache;

    /**
     * A database behind a store that is a Redis: sqlite:FILE, postgresql://HOST/DATABASE or
     * mariadb://HOST/DATABASE. It decides, and answers when the Redis does not.
     */
    private @Nullable String fallback;

    /** Name of the DataSource bean that keeps the keys, where there are several. */
    private @Nullable String dataSource;

    /** Whether the tables are created, or upgraded, when the application starts. */
    private boolean migrate;

    /** Whose connections a store in the application's database uses. */
    public enum Pool {
      /** A small pool of its own, with the settings of the application's. */
      OWN,
      /** Up to half of the application's pool. */
      SHARED
    }

    /** Whose connections a store in the application's database uses. */
    private Pool pool = Pool.OWN;

    public Pool getPool() {
      return pool;
    }

    public void setPool(Pool pool) {
      this.pool = pool;
    }

    public Kind getKind() {
      return kind;
    }

    public void setKind(Kind kind) {
      this.kind = kind;
    }

    public @Nullable String getUrl() {
      return url;
    }

    public void setUrl(@Nullable String url) {
      this.url = url;
    }

    public @Nullable String getCache() {
      return cache;
    }

    public void setCache(@Nullable String cache) {
      this.cache = cache;
    }

    public @Nullable String getFallback() {
      return fallback;
    }

    public void setFallback(@Nullable String fallback) {
      this.fallback = fallback;
    }

    public @Nullable String getDataSource() {
      return dataSource;
    }

    public void setDataSource(@Nullable String dataSource) {
      this.dataSource = dataSource;
    }

    public boolean isMigrate() {
      return migrate;
    }

    public void setMigrate(boolean migrate) {
      this.migrate = migrate;
    }
  }

  /** Whose key it is, where the request has no principal. */
  public static class ScopeProperties {

    /** Header that names the tenant, and must be there; a TenantResolver bean is stronger. */
    private @Nullable String tenantHeader;

    /** Header that names the user, set by something in front that clients cannot pass by. */
    private @Nullable String userHeader;

    /** Cookie that tells users apart, such as a session's. */
    private @Nullable String userCookie;

    public @Nullable String getTenantHeader() {
      return tenantHeader;
    }

    public void setTenantHeader(@Nullable String tenantHeader) {
      this.tenantHeader = tenantHeader;
    }

    public @Nullable String getUserHeader() {
      return userHeader;
    }

    public void setUserHeader(@Nullable String userHeader) {
      this.userHeader = userHeader;
    }

    public @Nullable String getUserCookie() {
      return userCookie;
    }

    public void setUserCookie(@Nullable String userCookie) {
      this.userCookie = userCookie;
    }

    /** What is read from headers. */
    public ScopeRule rule() {
      if (userHeader != null && userCookie != null) {
        throw new OnceConfigurationException(
            "once.scope.user-header and once.scope.user-cookie are both set (expected: one of"
                + " them)",
            "Remove one of them.");
      }
      try {
        ScopeRule rule =
            userHeader != null
                ? ScopeRule.DEFAULT.withUser(User.HEADER, userHeader)
                : userCookie != null
                    ? ScopeRule.DEFAULT.withUser(User.COOKIE, userCookie)
                    : ScopeRule.DEFAULT;
        return tenantHeader == null ? rule : rule.withTenantHeader(tenantHeader);
      } catch (IllegalArgumentException e) {
        throw OnceConfigurationException.badValue("once.scope.", e, "");
      }
    }
  }

  /** The page that publishes the rules for keys, and explains refusals. */
  public static class PolicyPageProperties {

    /** Whether the page is there. */
    private boolean enabled = true;

    /** Where it is, within the application. */
    private String path = "/docs/idempotency";

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public String getPath() {
      return path;
    }

    public void setPath(String path) {
      this.path = path;
    }

    /** The path, with what the application is under in front. */
    URI under(String root) {
      try {
        if (path.startsWith("/")
            && !path.contains("*")
            && path.equals(URI.create(path).getRawPath())) {
          return URI.create(root + path);
        }
      } catch (IllegalArgumentException e) {
        // as below
      }
      throw new OnceConfigurationException(
          "once.policy-page.path: '%s' (expected: such as /docs/idempotency)".formatted(path),
          "Change it to a path within the application, without variables.");
    }
  }

  /** The filter that looks at HTTP requests. */
  public static class FilterProperties {

    /** Whether there is a filter at all. */
    private boolean enabled = true;

    /** Its order; by default 10 after Spring Security's. */
    private @Nullable Integer order;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public @Nullable Integer getOrder() {
      return order;
    }

    public void setOrder(@Nullable Integer order) {
      this.order = order;
    }
  }
}
