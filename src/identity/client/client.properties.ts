import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, flag, list, neverUnset, objects, oneOf, type ScalarType, text } from '../../config/bind/key-type.js';
import { Key, Members, Properties } from '../../config/bind/properties.decorator.js';
import { ConversionProblem } from '../../config/problem.js';
import { ROLE_FORM } from '../account/account.js';
import { REQUESTABLE_ACRS, type RequestableAcr } from '../../kernel/principal/amr.js';
import { CLAIMS, GRANT_TYPES, type GrantType, type IdTokenAlgorithm, OFFLINE_ACCESS, SCOPES } from './client.js';
import { redirectUriProblem } from './redirect-uri.js';

/** Absolute and without a wildcard, so that requests are compared with it character by character. */
const redirectUri: ScalarType<string> = {
  ...text(),
  name: 'redirect URI',
  expects:
    'an absolute https URI without a fragment, an http URI of a loopback address, or one of a private scheme with a dot',
  parse: (written) => {
    const reason = redirectUriProblem(written.trim());
    return reason === undefined ? written.trim() : new ConversionProblem(reason);
  },
};

const visible = text({ form: /^[\x21-\x7e]{1,255}$/, called: 'a text of 1 to 255 visible ASCII characters' });
const httpsUrl = text({ form: /^https?:\/\/[^\s#]+$/, called: 'an http or https URL without a fragment' });

const logoUrl = text({
  form: /^(?:https:\/\/[^\s"'<>;,@\\#]+|\/[^\s"'<>/\\#][^\s"'<>\\#]*)$/,
  called: 'an https URL, or a path that begins with a single slash',
});

/** A client without a secret could not authenticate, which a report tells its operator. */
const clientSecret = neverUnset(
  text({
    form: /^(?:\{sha256\}[\da-f]{64}|(?!\{sha256\})[\x21-\x7e]{16,512})$/,
    called: 'a text of 16 to 512 visible ASCII characters, or {sha256} and the SHA-256 of one in hexadecimal digits',
  }),
);

@Members()
export class ClientProperties {
  @Key(text({ form: /^[^\p{Cc}]{1,64}$/u, called: 'a text of at most 64 characters' }), {
    does: 'Name of the application on pages.',
    effect: full,
    defaultText: 'the id',
  })
  readonly name?: string;

  @Key(logoUrl, {
    does:
      'Logo of the application on the sign-in page: an https URL, or a path at this host. Browsers load it from there, so a URL ' +
      'lets its host see who is about to sign in.',
    effect: full,
    defaultText: 'none',
  })
  readonly logo?: string;

  @Key(clientSecret, {
    does:
      'Secret with which the client authenticates; generate it at random and write ${NAME} for it, or {sha256} and its hash, ' +
      'which is no secret itself.',
    effect: full,
  })
  readonly secret?: string;

  @Key(list(text()), {
    does:
      'Public keys of the client, as PEM files or texts, for private_key_jwt (RFC 7523) in place of a secret; several during a ' +
      'change.',
    effect: full,
    mayBeFilePath: true,
  })
  readonly keys: readonly string[] = [];

  @Key(flag(), {
    does: 'Whether this is an application that can keep no secret, such as a single-page or a mobile application.',
    effect: full,
  })
  readonly public: boolean = false;

  @Key(list(redirectUri), {
    does:
      'Where users return to after the sign-in; compared character by character, except for the port of a loopback address ' +
      '(RFC 8252). A client without any only introspects tokens or uses client credentials.',
    effect: full,
  })
  readonly redirectUris: readonly string[] = [];

  @Key(list(redirectUri), {
    does: 'Where users return to after a sign-out that the application requests.',
    effect: full,
  })
  readonly postLogoutRedirectUris: readonly string[] = [];

  @Key(list(visible), {
    does:
      'Audiences of its access tokens: the first one by default, the others by resource (RFC 8707). Tokens for one of them are ' +
      'active when the client introspects them.',
    effect: full,
    defaultText: 'the id; resource-api for a client without redirect URIs',
  })
  readonly audience: readonly string[] = [];

  @Key(list(visible), {
    does:
      'Scopes that it may request; beside those of OpenID Connect any names that its audience understands. With offline_access, its ' +
      'refresh tokens outlast the idle time of the browser.',
    effect: full,
  })
  readonly scopes: readonly string[] = SCOPES.filter((scope) => scope !== OFFLINE_ACCESS);

  @Key(list(oneOf(...CLAIMS)), {
    does: 'Claims in its ID tokens and at userinfo in addition to those of the scopes; with roles, its access tokens have them, too.',
    effect: full,
  })
  readonly claims: readonly (typeof CLAIMS)[number][] = [];

  @Key(list(oneOf(...GRANT_TYPES)), {
    does: 'What it may exchange for tokens at the token endpoint.',
    effect: full,
  })
  readonly grantTypes: readonly GrantType[] = ['authorization_code', 'refresh_token'];

  @Key(oneOf(...REQUESTABLE_ACRS), {
    does: 'The least assurance of a sign-in for this application; users without it prove a second factor first.',
    effect: full,
    defaultText: 'none',
  })
  readonly minAcr?: RequestableAcr;

  @Key(duration({ unit: 's', min: '0s' }), {
    does: 'The longest time since its user authenticated; older sign-ins are repeated.',
    effect: full,
    defaultText: 'none',
  })
  readonly maxAge?: Duration;

  @Key(list(text({ form: ROLE_FORM, called: 'the name of a role such as ROLE_STAFF' })), {
    does: 'Roles of which a user needs one to sign in with this application.',
    effect: full,
    defaultText: 'everyone',
  })
  readonly roles: readonly string[] = [];

  @Key(duration({ unit: 's', min: '1s', max: '1h' }), {
    does: 'Lifetime of its access and ID tokens.',
    effect: full,
    defaultText: 'app.security.token.access-lifetime',
  })
  readonly accessLifetime?: Duration;

  @Key(oneOf('RS256', 'ES256'), {
    does: 'Signature algorithm of its ID tokens, and of userinfo if signed-userinfo is set.',
    effect: full,
  })
  readonly idTokenAlgorithm: IdTokenAlgorithm = 'RS256';

  @Key(flag(), {
    does: 'Whether userinfo is a signed token (application/jwt) in place of JSON.',
    effect: full,
  })
  readonly signedUserinfo: boolean = false;

  @Key(httpsUrl, {
    does: 'Address that is told of the end of its sessions (OpenID Connect Back-Channel Logout).',
    effect: full,
    defaultText: 'none',
  })
  readonly backchannelLogoutUri?: string;
}

@Properties('app.security')
export class ClientsProperties {
  @Key(objects(ClientProperties, 'id'), {
    does: 'Applications that users sign in to, and services that introspect access tokens, by their ids.',
    effect: full,
  })
  readonly clients: ReadonlyMap<string, ClientProperties> = new Map();

  /** True if a client has an address that is told of the end of its sessions. */
  get wantLogouts(): boolean {
    return [...this.clients.values()].some(({ backchannelLogoutUri }) => backchannelLogoutUri !== undefined);
  }

  /** True if there is a client that users sign in to, or that gets tokens of its own. */
  get hasApplications(): boolean {
    return [...this.clients.values()].some(
      ({ redirectUris, grantTypes }) => redirectUris.length > 0 || grantTypes.includes('client_credentials'),
    );
  }
}
