package example;

import java.util.function.Supplier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

@SpringBootApplication
@RestController
public class Application {
  public static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var signedOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
    signedOut.setPostLogoutRedirectUri("{baseUrl}/");
    return http
        .authorizeHttpRequests((requests) -> requests
            .requestMatchers("/").permitAll()
            .requestMatchers("/payments/**").access(Application::hasOtp)
            .anyRequest().authenticated())
        .oauth2Login((login) -> login
            .loginPage("/oauth2/authorization/login") // the only provider, so no page with a choice
            .authorizationEndpoint((endpoint) -> endpoint.authorizationRequestResolver(withSecondFactor(clients))))
        .logout((logout) -> logout.logoutSuccessHandler(signedOut))
        .oidcLogout((logout) -> logout.backChannel(Customizer.withDefaults()))
        .build();
  }

  /** Asks for a second factor; users without one come back all the same, and {@link #hasOtp} refuses them. */
  static DefaultOAuth2AuthorizationRequestResolver withSecondFactor(ClientRegistrationRepository clients) {
    var resolver = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce().andThen((request) ->
        request.additionalParameters((parameters) -> parameters.put("acr_values", "urn:login:acr:mfa"))));
    return resolver;
  }

  static AuthorizationDecision hasOtp(Supplier<? extends Authentication> caller, RequestAuthorizationContext context) {
    return new AuthorizationDecision(caller.get().getPrincipal() instanceof OidcUser user
        && user.getClaimAsStringList("amr").contains("otp"));
  }

  @GetMapping("/")
  String home() {
    return "<a href=\"/payments\">Payments</a>";
  }

  @GetMapping("/payments")
  String payments(@AuthenticationPrincipal OidcUser user, CsrfToken csrf) {
    return """
        Payments of %s <form method="post" action="/logout">
        <input type="hidden" name="%s" value="%s"><button>Sign out</button></form>
        """.formatted(HtmlUtils.htmlEscape(user.getPreferredUsername()), csrf.getParameterName(), csrf.getToken());
  }
}
