package dev.once.examples.payments;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.DispatcherType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.provisioning.UserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.expression.WebExpressionAuthorizationManager;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Who may do what. Keys belong to users, and are looked at when the user is known: who has been
 * shut out gets 401, and no recorded answer.
 */
@Configuration
class Security {

  @Bean
  SecurityFilterChain rules(HttpSecurity http) throws Exception {
    return http.csrf(csrf -> csrf.disable())
        .httpBasic(Customizer.withDefaults())
        .sessionManagement(it -> it.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .authorizeHttpRequests(
            it ->
                it.dispatcherTypeMatchers(DispatcherType.ERROR)
                    .permitAll()
                    .requestMatchers("/docs/**", "/swagger-ui*/**", "/v3/api-docs/**")
                    .permitAll()
                    .requestMatchers("/webhooks/{provider}")
                    .access(
                        new WebExpressionAuthorizationManager("authentication.name == #provider"))
                    .requestMatchers(HttpMethod.DELETE, "/users/*")
                    .hasRole("ADMIN")
                    .anyRequest()
                    .hasRole("USER"))
        .build();
  }

  @Bean
  UserDetailsManager users(PasswordEncoder passwords) {
    return new InMemoryUserDetailsManager(
        user("alice", passwords, "USER", "ADMIN"),
        user("bob", passwords, "USER"),
        user("cardnet", passwords, "PROVIDER"));
  }

  /** With a password that is the name: this is a demonstration. */
  private static UserDetails user(String name, PasswordEncoder passwords, String... roles) {
    return User.withUsername(name).password(passwords.encode(name)).roles(roles).build();
  }

  /** Weak, and so fast: there is nothing to protect here. */
  @Bean
  PasswordEncoder passwords() {
    return new BCryptPasswordEncoder(4);
  }

  @RestController
  @Tag(name = "Users")
  record Users(UserDetailsManager users) {

    @DeleteMapping("/users/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Shuts a user out")
    void delete(@PathVariable String name) {
      users.deleteUser(name);
    }
  }
}
