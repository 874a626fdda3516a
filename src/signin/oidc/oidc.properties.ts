import { full } from '../../config/bind/effect.js';
import { flag } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.security.oidc')
export class OidcProperties {
  @Key(flag(), {
    does:
      'Whether every application must send a code_challenge (PKCE, RFC 7636) with its authorization requests; public ones must ' +
      'anyway.',
    effect: full,
  })
  readonly requirePkce: boolean = false;
}
