import { full } from '../../config/bind/effect.js';
import { duration, flag, list, map, mapOfLists, neverUnset, objects, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Members, Properties } from '../../config/bind/properties.decorator.js';
import { healthComponent } from '../../observability/health/health-components.js';
import { ROLE_FORM } from '../../identity/account/account.js';
import { Duration } from '../../config/bind/duration.js';
import {
  type Comparison,
  COMPARISONS,
  ON_MISSING_MFA,
  type OnMissingMfa,
  type Preset,
  PRESETS,
} from './login/response/authn-context.js';

const uri = text({ form: /^[^\s,]{1,1024}$/, called: 'a name without blanks and commas, such as a URI' });
const url = text({ form: /^https?:\/\/[^\s#]+$/, called: 'an http or https URL without a fragment' });
const contextClass = text({
  form: /^[^\s,]{1,255}$/,
  called: 'a context class: at most 255 characters without blanks',
});
const role = text({ form: ROLE_FORM, called: 'the name of a role such as ROLE_STAFF' });
/** An empty text must not turn the check of the signature off. */
const certificateText = neverUnset(text({ form: /\S/, called: 'the path of a PEM file, or its text' }));

/** One identity provider of staff. */
@Members()
export class IdpProperties {
  @Key(text({ form: /^[^\p{Cc}]{1,64}$/u, called: 'a text of at most 64 characters' }), {
    does: 'Name of the identity provider on the sign-in page.',
    effect: full,
    defaultText: 'the name in the key',
  })
  readonly displayName?: string;

  @Key(text({ form: /^(?:file:.*\S|https?:\/\/\S+)$/, called: 'a file:<path> or an https URL' }), {
    does: 'Metadata of the identity provider; without it, set entity-id, sso-url and certificates.',
    effect: full,
  })
  readonly metadata?: string;

  @Key(certificateText, {
    does:
      'Certificate that the metadata must be signed with: a file or the PEM text itself; without it, a signature ' +
      'is not verified.',
    effect: full,
  })
  readonly metadataCertificate?: string;

  @Key(duration({ unit: 's', min: '1m', max: '7d' }), {
    does: 'Longest time between two readings of the metadata; cacheDuration in them makes it shorter.',
    effect: full,
  })
  readonly metadataRefresh: Duration = Duration.ofSeconds(3600);

  // With an empty text, metadata of any identity provider would be accepted.
  @Key(neverUnset(uri), {
    does: 'Entity id of the identity provider; with metadata of several, it selects one.',
    effect: full,
  })
  readonly entityId?: string;

  @Key(url, { does: 'URL of its single sign-on service, without metadata.', effect: full })
  readonly ssoUrl?: string;

  @Key(oneOf('redirect', 'post'), {
    does: 'Binding of the request for a login: HTTP-Redirect or HTTP-POST.',
    effect: full,
  })
  readonly ssoBinding: 'redirect' | 'post' = 'redirect';

  @Key(url, {
    does: 'URL of its single logout service (HTTP-Redirect), without metadata; if unset, there is none.',
    effect: full,
  })
  readonly sloUrl?: string;

  @Key(list(text()), {
    does: 'Certificates it signs with, without metadata: files or PEM texts; several during a change.',
    effect: full,
  })
  readonly certificates: readonly string[] = [];

  @Key(uri, {
    does: 'Entity id of this service towards the identity provider, and the audience its assertions must name.',
    effect: full,
    defaultText: '{public-url}/saml/{name}/metadata',
  })
  readonly spEntityId?: string;

  @Key(neverUnset(text({ form: /^[^\s,]+$/, called: 'the name of a bundle' })), {
    does:
      'Certificate bundle (app.ssl.bundle.pem.<name>) with an RSA key of this service: signs its requests and logouts, and ' +
      'opens encrypted assertions.',
    effect: full,
  })
  readonly bundle?: string;

  @Key(flag(), {
    does: 'Whether the response as a whole must be signed as well; the assertion must always be signed.',
    effect: full,
  })
  readonly signedResponse: boolean = false;

  @Key(flag(), {
    does: 'Whether unsolicited responses are accepted; they allow an attacker to sign a browser in to another account.',
    effect: full,
  })
  readonly idpInitiated: boolean = false;

  @Key(duration({ unit: 's', min: '0s', max: '5m' }), {
    does: 'Accepted difference between the clocks of both sides.',
    effect: full,
  })
  readonly clockSkew: Duration = Duration.ofSeconds(60);

  @Key(duration({ unit: 's', min: '1s', max: '1h' }), {
    does: 'Longest time since an assertion was issued.',
    effect: full,
  })
  readonly maxAssertionAge: Duration = Duration.ofSeconds(300);

  @Key(flag(), {
    does:
      'Whether every login requires the user to authenticate again at the identity provider, even with a session ' +
      'there (ForceAuthn).',
    effect: full,
  })
  readonly forceAuthn: boolean = false;

  @Key(oneOf('time-of-response', 'time-of-authentication'), {
    does:
      'How its AuthnInstant is understood. time-of-response: it may be recent although the user authenticated long ' +
      'ago, so a login is fresh only if a new authentication was requested. time-of-authentication: it is trusted ' +
      'as the time at which the user authenticated.',
    effect: full,
  })
  readonly authnInstant: 'time-of-response' | 'time-of-authentication' = 'time-of-response';

  @Key(list(contextClass), {
    name: 'authn-context.request',
    does:
      'Context classes that every login requests, e.g. https://refeds.org/profile/mfa; empty leaves it to the ' +
      'identity provider.',
    effect: full,
  })
  readonly authnContextRequest: readonly string[] = [];

  @Key(oneOf(...COMPARISONS), {
    name: 'authn-context.comparison',
    does:
      'How the returned class must compare with the requested ones; a class of unknown strength satisfies exact ' +
      'only.',
    effect: full,
  })
  readonly authnContextComparison: Comparison = 'exact';

  @Key(list(contextClass), {
    name: 'authn-context.step-up',
    does:
      'Context classes that a login with acr may request; acr=urn:login:acr:mfa requests those that the map ' +
      'assigns otp.',
    effect: full,
  })
  readonly authnContextStepUp: readonly string[] = [];

  @Key(list(oneOf(...PRESETS)), {
    name: 'authn-context.presets',
    does: 'Built-in maps of context classes: oasis (Password, PasswordProtectedTransport, TimeSyncToken, MultiFactor), refeds, microsoft.',
    effect: full,
  })
  readonly authnContextPresets: readonly Preset[] = ['oasis'];

  @Key(mapOfLists(oneOf('pwd', 'otp'), 'class'), {
    name: 'authn-context.map',
    does:
      'Methods that a context class proves, by its whole name in brackets: pwd, otp or both; it wins over the ' +
      'presets.',
    effect: full,
  })
  readonly authnContextMap: ReadonlyMap<string, readonly ('pwd' | 'otp')[]> = new Map();

  @Key(uri, {
    name: 'authn-context.attribute',
    does:
      'Attribute with values that are looked up like context classes, e.g. ' +
      'http://schemas.microsoft.com/claims/authnmethodsreferences.',
    effect: full,
  })
  readonly authnContextAttribute?: string;

  @Key(oneOf(...ON_MISSING_MFA), {
    does:
      'How a login without a proven second factor is treated: deny rejects it, local-totp asks for a second factor ' +
      'here, accept-as-pwd accepts it as a password only, or asks for a second factor here if policy demands one of ' +
      'the account.',
    effect: full,
  })
  readonly onMissingMfa: OnMissingMfa = 'accept-as-pwd';

  @Key(flag(), {
    does: 'Whether deny only records what it would reject, and accepts the login as accept-as-pwd does.',
    effect: full,
  })
  readonly reportOnly: boolean = false;

  // With an empty text, the NameID would identify other accounts.
  @Key(neverUnset(uri), {
    name: 'account.attribute',
    does: 'Attribute that identifies the user permanently, in place of a persistent NameID.',
    effect: full,
  })
  readonly accountAttribute?: string;

  @Key(flag(), {
    name: 'account.create',
    does: 'Whether the first login of a user creates the account; otherwise only existing accounts can sign in.',
    effect: full,
  })
  readonly accountCreate: boolean = true;

  @Key(uri, {
    name: 'email.attribute',
    does: 'Attribute with the mail address, read at each login.',
    effect: full,
  })
  readonly emailAttribute?: string;

  @Key(flag(), {
    name: 'email.verified',
    does:
      'Whether the address of email.attribute counts as verified; set it only if users cannot enter an address there without ' +
      'confirming it.',
    effect: full,
  })
  readonly emailVerified: boolean = false;

  @Key(uri, {
    name: 'name.attribute',
    does: 'Attribute with the display name, read at each login.',
    effect: full,
  })
  readonly nameAttribute?: string;

  @Key(uri, {
    name: 'groups.attribute',
    does: 'Attribute with the groups that the account has for other applications, read at each login; they authorize nothing here.',
    effect: full,
  })
  readonly groupsAttribute?: string;

  @Key(uri, {
    name: 'roles.attribute',
    does: 'Attribute with groups, which roles.map turns into roles at each login.',
    effect: full,
  })
  readonly rolesAttribute?: string;

  @Key(map(role, 'group'), {
    name: 'roles.map',
    does: 'Role assigned for a value of roles.attribute, by its whole text in brackets; other values assign none.',
    effect: full,
  })
  readonly rolesMap: ReadonlyMap<string, string> = new Map();

  @Key(list(role), {
    name: 'roles.default',
    does: 'Roles of every user of this identity provider.',
    effect: full,
  })
  readonly rolesDefault: readonly string[] = [];
}

/** Health component, present if an identity provider is configured. */
export const SAML_COMPONENT = healthComponent('saml');

@Properties('app.security.saml')
export class SamlProperties {
  @Key(objects(IdpProperties, 'name'), {
    does: 'Identity providers that staff sign in through, by the names in their paths: /saml/<name>/login.',
    effect: full,
  })
  readonly idp: ReadonlyMap<string, IdpProperties> = new Map();
}
