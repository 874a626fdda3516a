import { full } from '../../config/bind/effect.js';
import { flag, list, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { origin } from '../../platform/http/origin.js';

@Properties('app.security.cookie')
export class CookieProperties {
  @Key(flag(), {
    does:
      'Whether cookies carry Secure, so that browsers send them over https only (and to localhost); false is ' +
      'rejected with profile prod.',
    effect: full,
  })
  readonly secure: boolean = true;

  @Key(
    text({
      form: /^(?!(?:refresh_token|trusted_device|device|sign_in_form|form_answer|saml_request|language)$)[A-Za-z\d][\w-]{0,63}$/,
      called: 'a name of letters, digits, - and _ that no other cookie of the service has',
    }),
    {
      does:
        'Name of the session cookie. Over https and without server.servlet.context-path, browsers have it with the prefix ' +
        '__Host-, so that no other service of the domain can set it; a change signs users out of the portal once.',
      effect: full,
    },
  )
  readonly sessionName: string = 'SESSION';
}

@Properties('app.security.cors')
export class CorsProperties {
  @Key(list(origin), {
    does:
      'Origins of other sites whose scripts may call the API and read the responses; no other origin may. With the ' +
      'cookies of a user they sign in and out, refresh tokens and read GET /me and GET /session; every other route ' +
      'needs an access token. Warning: such a site acts in the name of its users, so list only sites that you operate.',
    effect: full,
  })
  readonly allowedOrigins: readonly string[] = [];
}
