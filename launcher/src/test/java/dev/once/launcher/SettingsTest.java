package dev.once.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

  private static final URI CENTRAL = URI.create("https://repo.maven.apache.org/maven2");

  @TempDir private Path home;
  private final Map<String, String> environment = new HashMap<>();

  private Settings settings() throws IOException {
    return new Settings(new Machine(home, environment), home);
  }

  private void user(String text) throws IOException {
    write(home.resolve(".m2"), text);
  }

  private static void write(Path folder, String text) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("settings.xml"), "<settings>" + text + "</settings>");
  }

  private static String mirror(String of, String url) {
    return "<mirror><id>ours</id><mirrorOf>%s</mirrorOf><url>%s</url></mirror>".formatted(of, url);
  }

  @Test
  void without_settings_it_is_maven_central_and_the_folder_in_the_users_home() throws Exception {
    assertThat(settings().central().url()).isEqualTo(CENTRAL);
    assertThat(settings().localRepository()).isEqualTo(home.resolve(".m2/repository"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "central | true",
        "* | true",
        "external:* | true",
        "internal, central | true",
        "*,!internal | true",
        "*,!central | false",
        "!central,* | false",
        "external:http:* | false",
        "internal | false"
      })
  void a_mirror_is_used_if_it_is_of_maven_central(String of, boolean used) throws Exception {
    user("<mirrors>" + mirror(of, "https://maven.example.com/all/") + "</mirrors>");
    URI expected = used ? URI.create("https://maven.example.com/all") : CENTRAL;
    assertThat(settings().central().url()).isEqualTo(expected);
  }

  @Test
  void a_mirror_that_names_central_comes_before_one_of_everything() throws Exception {
    user("<mirrors>" + mirror("*", "http://a") + mirror("central", "http://b") + "</mirrors>");
    assertThat(settings().central().url()).hasHost("b");
  }

  @Test
  void the_users_settings_come_before_the_installations() throws Exception {
    environment.put("MAVEN_HOME", home.resolve("maven").toString());
    write(
        home.resolve("maven/conf"),
        "<localRepository>/jars</localRepository><mirrors>"
            + mirror("*", "http://a")
            + "</mirrors>");
    assertThat(settings().central().url()).hasHost("a");
    user("<mirrors>" + mirror("*", "http://b") + "</mirrors>");
    assertThat(settings().central().url()).hasHost("b");
    assertThat(settings().localRepository()).isEqualTo(Path.of("/jars"));
  }

  @Test
  void the_mirrors_server_has_a_name_and_a_password_which_may_come_from_the_environment()
      throws Exception {
    environment.put("SECRET", "s3cret");
    user(
        "<mirrors>"
            + mirror("*", "http://a")
            + "</mirrors><servers><server><id>ours</id><username>me</username>"
            + "<password>${env.SECRET}</password></server></servers>");
    assertThat(settings().central().login()).contains(new Login("me", "s3cret"));
  }

  @Test
  void a_login_is_told_to_the_mirror_when_it_asks() throws Exception {
    try (Repository repository = new Repository()) {
      SmallClone clone = new SmallClone(home);
      repository.put(SmallClone.LIBRARY, clone.library);
      repository.onlyFor("me", "s3cret");
      clone.settings(
          "<mirrors>"
              + mirror("*", repository.url())
              + "</mirrors><servers><server><id>ours</id><username>me</username>"
              + "<password>s3cret</password></server></servers>");
      assertThat(clone.make()).as(clone.output()).isZero();
    }
  }

  @Test
  void a_proxy_is_used_on_the_way() throws Exception {
    try (Repository proxy = new Repository()) {
      SmallClone clone = new SmallClone(home);
      proxy.put(SmallClone.LIBRARY, clone.library);
      clone.settings(
          "<mirrors>"
              + mirror("*", "http://no-such-host.invalid/maven")
              + "</mirrors><proxies><proxy><host>localhost</host><port>"
              + proxy.port()
              + "</port><nonProxyHosts>localhost|*.example.com</nonProxyHosts></proxy></proxies>");
      assertThat(clone.make()).as(clone.output()).isZero();
      assertThat(proxy.requests())
          .containsExactly("http://no-such-host.invalid/maven/" + SmallClone.LIBRARY);
    }
  }

  @Test
  void a_host_may_be_excluded_from_a_proxy() throws Exception {
    String proxies =
        "<proxies><proxy><host>p</host><nonProxyHosts>x|*.%s</nonProxyHosts></proxy></proxies>";
    user(proxies.formatted("apache.org"));
    assertThat(settings().central().proxy()).isEmpty();
    user(proxies.formatted("example.org"));
    assertThat(settings().central().proxy())
        .hasValueSatisfying(p -> assertThat(p.host()).isEqualTo("p"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<servers><server><id>central</id><username>me</username><password>{abc=}</password></server></servers>",
        "<servers><server><id>central</id><configuration/></server></servers>",
        "<profiles><profile><repositories><repository/></repositories></profile></profiles>",
        "<mirrors><mirror><mirrorOf>*</mirrorOf><url>${what}</url></mirror></mirrors>",
        "<mirrors><mirror><mirrorOf>*</mirrorOf><url>http://a</url><blocked>true</blocked></mirror></mirrors>",
        "<mirrors><mirror><mirrorOf>*</mirrorOf><url>http://a b/maven</url></mirror></mirrors>",
        "<mirrors><mirror><mirrorOf>*</mirrorOf><url>file:///srv/maven</url></mirror></mirrors>",
        "<proxies><proxy><host>p</host><port>80a</port></proxy></proxies>",
        "<proxies><proxy><host>p</host><port>65536</port></proxy></proxies>",
        "<offline>true</offline>"
      })
  void what_is_not_understood_is_said(String text) throws Exception {
    user(text);
    Settings settings = settings();
    assertThatThrownBy(settings::central).isInstanceOf(CannotException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-s other.xml", "--settings=other.xml", "-o", "-Pcompany"})
  void so_are_other_settings_by_flags_of_maven(String flags) throws Exception {
    environment.put("MAVEN_ARGS", flags);
    Settings settings = settings();
    assertThatThrownBy(settings::central).isInstanceOf(CannotException.class);
  }
}
