import java.util.Collection;
import java.util.List;
import java.util.Scanner;
import java.util.function.Predicate;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/** Verifies tokens as docs/how-to/integrate/verify-access-tokens.md describes: each input line is `at+jwt` or `JWT`, a space and a token. */
public class ResourceServer {
  public static void main(String[] args) {
    JwtDecoder profile = profileDecoder(args[0], args[1], args[2], args[3]);
    JwtDecoder plain = plainDecoder(args[0], args[1], args[2]);
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String[] line = lines.nextLine().split(" ");
      System.out.println(verdict(line[0].equals("JWT") ? plain : profile, line[1]));
    }
  }

  static JwtDecoder profileDecoder(String jwksUri, String issuer, String audience, String clientId) {
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri(jwksUri)
        .jwsAlgorithm(SignatureAlgorithm.ES256)
        .validateType(false)
        .build();
    decoder.setJwtValidator(JwtValidators.createAtJwtValidator()
        .issuer(issuer)
        .audience(audience)
        .clientId(clientId)
        .build());
    return decoder;
  }

  static JwtDecoder plainDecoder(String jwksUri, String issuer, String audience) {
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri(jwksUri)
        .jwsAlgorithm(SignatureAlgorithm.ES256)
        .build();
    Predicate<Collection<String>> isForUs = (audiences) -> audiences != null && audiences.contains(audience);
    OAuth2TokenValidator<Jwt> forUs = new JwtClaimValidator<>("aud", isForUs);
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(JwtValidators.createDefaultWithIssuer(issuer), forUs));
    return decoder;
  }

  static boolean hasSecondFactor(Jwt token) {
    return "urn:login:acr:mfa".equals(token.getClaimAsString("acr"));
  }

  static boolean isPhishingResistant(Jwt token) {
    List<String> amr = token.getClaimAsStringList("amr");
    return amr != null && (amr.contains("hwk") || amr.contains("swk"));
  }

  static String verdict(JwtDecoder decoder, String token) {
    try {
      Jwt jwt = decoder.decode(token);
      return "accepted " + jwt.getClaimAsStringList("amr")
          + (hasSecondFactor(jwt) ? ", second factor" : "")
          + (isPhishingResistant(jwt) ? ", phishing-resistant" : "");
    } catch (JwtException exception) {
      return "rejected " + exception.getMessage().replace('\n', ' ');
    }
  }
}
