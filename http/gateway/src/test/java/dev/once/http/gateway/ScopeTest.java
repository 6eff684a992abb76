package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.ScopeRule.User;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ScopeTest extends GatewayFixture {

  private HttpResponse<String> payAs(String header, String value) throws Exception {
    return send(payment("/payments", "k-1").header(header, value));
  }

  @Test
  void the_same_key_from_another_caller_is_another_operation() throws Exception {
    start();
    assertThat(payAs("Authorization", "Bearer one").body()).startsWith("1 ");
    assertThat(payAs("Authorization", "Bearer two").body()).startsWith("2 ");
    assertThat(pay("/payments", "k-1").body()).startsWith("3 ");
    assertReplayed(payAs("Authorization", "Bearer one"), 201);
  }

  @Test
  void a_tenant_is_required_where_its_header_is_configured() throws Exception {
    start(setup -> setup.scopes = ScopeRule.DEFAULT.withTenantHeader("X-Tenant"));
    assertProblem(pay("/payments", "k-1"), 400, "tenant-missing");
    assertProblem(
        send(payment("/payments", "k-1").header("X-Tenant", "a").header("X-Tenant", "b")),
        400,
        "tenant-missing");
    assertThat(service.calls()).isEmpty();
    assertThat(payAs("X-Tenant", "a").body()).startsWith("1 ");
    assertThat(payAs("X-Tenant", "b").body()).startsWith("2 ");
    assertReplayed(payAs("X-Tenant", "a"), 201);
  }

  @Test
  void a_user_can_be_named_by_a_header() throws Exception {
    start(setup -> setup.scopes = ScopeRule.DEFAULT.withUser(User.HEADER, "X-User"));
    assertThat(payAs("X-User", "a").body()).startsWith("1 ");
    assertThat(payAs("X-User", "b").body()).startsWith("2 ");
    assertReplayed(
        send(payment("/payments", "k-1").header("X-User", "a").header("Authorization", "new")),
        201);
  }

  @Test
  void a_user_can_be_named_by_a_cookie() throws Exception {
    start(setup -> setup.scopes = ScopeRule.DEFAULT.withUser(User.COOKIE, "session"));
    assertThat(payAs("Cookie", "a=1; session=x").body()).startsWith("1 ");
    assertThat(payAs("Cookie", "session=y; a=1").body()).startsWith("2 ");
    assertReplayed(payAs("Cookie", "session=x; a=2"), 201);
  }

  @Test
  void cookies_that_http_2_splits_name_the_same_user_and_arrive_in_one_line() {
    start(setup -> setup.scopes = ScopeRule.DEFAULT.withUser(User.COOKIE, "session"));
    Protocol.HTTP_1_1.send(
        gateway.port(), "POST", "/p", "x", "Idempotency-Key: k", "Cookie: a=1; session=x");
    Protocol.Answer retry =
        Protocol.H2C.send(
            gateway.port(),
            "POST",
            "/p",
            "x",
            "Idempotency-Key: k",
            "Cookie: a=1",
            "Cookie: session=x");
    assertThat(retry.fields("Idempotent-Replayed")).containsExactly("true");
    Protocol.H2C.send(gateway.port(), "GET", "/cookies", null, "Cookie: a=1", "Cookie: b=2");
    assertThat(service.only("/cookies").fields("Cookie")).containsExactly("a=1; b=2");
  }
}
