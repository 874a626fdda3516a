import { full } from '../config/bind/effect.js';
import { flag, list, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('app.security.cookie')
export class CookieProperties {
  @Key(flag(), {
    does:
      'Whether cookies carry Secure, so that browsers send them over https only (and to localhost); false is ' +
      'rejected with profile prod.',
    effect: full,
  })
  readonly secure: boolean = true;
}

const origin = text({
  form: /^https?:\/\/[a-z\d.-]+(?::\d{1,5})?$/,
  called: 'an origin in lower case such as https://portal.example, without a path; never * or null',
});

@Properties('app.security.cors')
export class CorsProperties {
  @Key(list(origin), {
    does: 'Origins of other sites that may send requests with cookies from scripts and read the responses; no other origin may.',
    effect: full,
  })
  readonly allowedOrigins: readonly string[] = [];
}
