import { ROLE_FORM } from '../../account/role-names.js';
import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, flag, list, map, mapOfLists, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Members } from '../../config/bind/properties.decorator.js';
import { ON_MISSING_MFA, type OnMissingMfa } from '../login/assurance.js';
import { type Comparison, COMPARISONS, type Preset, PRESETS } from '../login/authn-context.js';

const uri = text({ form: /^[^\s,]{1,1024}$/, called: 'a name without blanks and commas, such as a URI' });
const url = text({ form: /^https?:\/\/[^\s#]+$/, called: 'an http or https URL without a fragment' });
const contextClass = text({
  form: /^[^\s,]{1,255}$/,
  called: 'a context class: at most 255 characters without blanks',
});
const role = text({ form: ROLE_FORM, called: 'the name of a role such as ROLE_STAFF' });

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
    does: 'Metadata of the identity provider; entity-id, sso-url and certificates take their place.',
    effect: full,
  })
  readonly metadata?: string;

  @Key(text(), {
    does: 'Certificate that the metadata must be signed with: a file or the PEM text itself; without it their signature is not looked at.',
    effect: full,
  })
  readonly metadataCertificate?: string;

  @Key(duration({ unit: 's', min: '1m', max: '7d' }), {
    does: 'Longest time between two readings of the metadata; cacheDuration in them makes it shorter.',
    effect: full,
  })
  readonly metadataRefresh: Duration = Duration.ofSeconds(3600);

  @Key(uri, {
    does: 'Entity id of the identity provider; with metadata, the one of several in them that is meant.',
    effect: full,
  })
  readonly entityId?: string;

  @Key(url, { does: 'Where its single sign-on takes requests, without metadata.', effect: full })
  readonly ssoUrl?: string;

  @Key(oneOf('redirect', 'post'), {
    does: 'Binding of the request for a login: HTTP-Redirect or HTTP-POST.',
    effect: full,
  })
  readonly ssoBinding: 'redirect' | 'post' = 'redirect';

  @Key(url, {
    does: 'Where its single logout takes messages by HTTP-Redirect, without metadata; unset, there is none.',
    effect: full,
  })
  readonly sloUrl?: string;

  @Key(list(text()), {
    does: 'Certificates it signs with, without metadata: files or PEM texts, several while it changes them.',
    effect: full,
  })
  readonly certificates: readonly string[] = [];

  @Key(uri, {
    does: 'Entity id of this service towards the identity provider, and the audience its assertions must name.',
    effect: full,
    defaultText: '{public-url}/saml/{name}/metadata',
  })
  readonly spEntityId?: string;

  @Key(text({ form: /^[^\s,]+$/, called: 'the name of a bundle' }), {
    does:
      'Certificate bundle (app.ssl.bundle.pem.<name>) with an RSA key of this service: signs its requests and logouts, and ' +
      'opens encrypted assertions.',
    effect: full,
  })
  readonly bundle?: string;

  @Key(flag(), {
    does: 'Whether the response as a whole must be signed, too; the assertion always must.',
    effect: full,
  })
  readonly signedResponse: boolean = false;

  @Key(flag(), {
    does: 'Whether logins are taken that nobody here asked for; they can sign a browser in as somebody else.',
    effect: full,
  })
  readonly idpInitiated: boolean = false;

  @Key(duration({ unit: 's', min: '0s', max: '5m' }), {
    does: 'How far the clocks of both sides may be apart.',
    effect: full,
  })
  readonly clockSkew: Duration = Duration.ofSeconds(60);

  @Key(duration({ unit: 's', min: '1s', max: '1h' }), {
    does: 'Longest time since an assertion was issued.',
    effect: full,
  })
  readonly maxAssertionAge: Duration = Duration.ofSeconds(300);

  @Key(flag(), {
    does: 'Whether every login asks for a new proof at the identity provider, whatever session the browser has there.',
    effect: full,
  })
  readonly forceAuthn: boolean = false;

  @Key(oneOf('time-of-response', 'time-of-authentication'), {
    does:
      'What its AuthnInstant is. time-of-response: it may be new although the user authenticated long ago, so a login is fresh ' +
      'only where a new authentication was requested. time-of-authentication: it is trusted as the time at which the user ' +
      'authenticated.',
    effect: full,
  })
  readonly authnInstant: 'time-of-response' | 'time-of-authentication' = 'time-of-response';

  @Key(list(contextClass), {
    name: 'authn-context.request',
    does: 'Context classes that every login asks for, e.g. https://refeds.org/profile/mfa; none leaves it to the identity provider.',
    effect: full,
  })
  readonly authnContextRequest: readonly string[] = [];

  @Key(oneOf(...COMPARISONS), {
    name: 'authn-context.comparison',
    does: 'How the returned class must stand to those asked for; what has no known strength satisfies exact alone.',
    effect: full,
  })
  readonly authnContextComparison: Comparison = 'exact';

  @Key(list(contextClass), {
    name: 'authn-context.step-up',
    does: 'Context classes that a login with acr may ask for; acr=urn:login:acr:mfa asks for those that the map gives otp.',
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
    does: 'What a context class proves, by its whole name in brackets: pwd, otp or both; counts before the presets.',
    effect: full,
  })
  readonly authnContextMap: ReadonlyMap<string, readonly ('pwd' | 'otp')[]> = new Map();

  @Key(uri, {
    name: 'authn-context.attribute',
    does: 'Attribute whose values are looked up like context classes, e.g. http://schemas.microsoft.com/claims/authnmethodsreferences.',
    effect: full,
  })
  readonly authnContextAttribute?: string;

  @Key(oneOf(...ON_MISSING_MFA), {
    does:
      'Login that proved no second factor: deny refuses it, local-totp asks for a code here, accept-as-pwd takes it as a ' +
      'password alone, or asks for a code where policy demands a second factor of the account.',
    effect: full,
  })
  readonly onMissingMfa: OnMissingMfa = 'accept-as-pwd';

  @Key(flag(), {
    does: 'Whether deny only records what it would refuse, and takes the login as accept-as-pwd does.',
    effect: full,
  })
  readonly reportOnly: boolean = false;

  @Key(uri, {
    name: 'account.attribute',
    does: 'Attribute that names the person for good, in place of a persistent NameID.',
    effect: full,
  })
  readonly accountAttribute?: string;

  @Key(flag(), {
    name: 'account.create',
    does: 'Whether the first login of a person makes the account; otherwise only existing ones may enter.',
    effect: full,
  })
  readonly accountCreate: boolean = true;

  @Key(uri, {
    name: 'email.attribute',
    does: 'Attribute with the mail address, read at each login.',
    effect: full,
  })
  readonly emailAttribute?: string;

  @Key(uri, {
    name: 'roles.attribute',
    does: 'Attribute with groups, which roles.map turns into roles at each login.',
    effect: full,
  })
  readonly rolesAttribute?: string;

  @Key(map(role, 'group'), {
    name: 'roles.map',
    does: 'Role that a value of roles.attribute stands for, by its whole text in brackets; all others stand for none.',
    effect: full,
  })
  readonly rolesMap: ReadonlyMap<string, string> = new Map();

  @Key(list(role), {
    name: 'roles.default',
    does: 'Roles of everybody who comes from here.',
    effect: full,
  })
  readonly rolesDefault: readonly string[] = [];
}
