import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, flag, list, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ACCESS_TYPES, type AccessType } from './access-token.js';
import type { SigningAlgorithm } from './keys/key-material.js';

@Properties('app.security.token')
export class TokenProperties {
  @Key(oneOf('ES256', 'EdDSA', 'RS256'), {
    does:
      'Signature algorithm of access tokens; after a change, keys of the old algorithm verify until their tokens ' +
      'have expired.',
    effect: full,
  })
  readonly algorithm: SigningAlgorithm = 'ES256';

  @Key(oneOf(...ACCESS_TYPES), {
    does:
      'Header typ of access tokens: at+jwt (RFC 9068), or JWT for resource servers that accept no other type; after a ' +
      'change, earlier access tokens stay usable until they expire.',
    effect: full,
  })
  readonly type: AccessType = 'at+jwt';

  @Key(text({ form: /^[\x21-\x7e]{1,64}$/, called: 'a text of 1 to 64 visible ASCII characters' }), {
    does: 'Claim client_id of access tokens (RFC 9068, section 2.2): the client that requests them, which is the portal.',
    effect: full,
  })
  readonly clientId: string = 'portal';

  @Key(flag(), {
    does:
      'Whether the endpoints of this service, such as /admin, /me, /2fa and /sessions, also accept access tokens for ' +
      'resource-api, and not only those that were requested for login-api: every service that receives a token of a user ' +
      'can then act here as that user. Meant for the time until all scripts request login-api.',
    effect: full,
  })
  readonly acceptResourceApi: boolean = false;

  @Key(flag(), {
    name: 'authn-context-in-amr',
    does:
      'Whether the claim amr of access tokens has the context class of an identity provider after the methods, in addition ' +
      'to the claim authn_context; amr then holds values that are not of RFC 8176.',
    effect: full,
  })
  readonly authnContextInAmr: boolean = false;

  @Key(duration({ unit: 's', min: '1s', max: '1h' }), {
    does: 'Lifetime of an access token; a resource server that does not introspect accepts it until then.',
    effect: full,
  })
  readonly accessLifetime: Duration = Duration.ofSeconds(600);

  @Key(duration({ unit: 's', min: '0s' }), {
    does: 'Age at which a signing key of the database is replaced; 0s leaves it to "keys rotate".',
    effect: full,
  })
  readonly rotation: Duration = Duration.ofSeconds(90 * 86_400);

  @Key(text(), {
    does:
      'Private key that signs access tokens in place of those in the database: a PEM file (file:/etc/login/signing.pem) ' +
      'or the PEM text itself, best written ${NAME}.',
    effect: full,
    mayBeFilePath: true,
    defaultText: 'keys of its own, sealed in the database',
  })
  readonly signingKey?: string;

  @Key(list(text()), {
    does:
      'Further keys, public or private, as PEM files or texts, that verify access tokens and are published: the ' +
      'next signing-key one day before it signs, the previous one until its tokens have expired.',
    effect: full,
    // One of them may be private.
    secret: true,
    mayBeFilePath: true,
  })
  readonly verificationKeys: readonly string[] = [];
}
