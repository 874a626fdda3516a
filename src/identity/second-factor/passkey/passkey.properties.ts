import { full } from '../../../config/bind/effect.js';
import { flag, list, oneOf, type ScalarType, text } from '../../../config/bind/key-type.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';
import { ConversionProblem } from '../../../config/problem.js';
import { effectiveRoles } from '../../../kernel/principal/principal.js';
import { originOf } from '../../../kernel/encoding/origin.js';
import { pathOf } from '../../../platform/tls/bundle-reading.js';
import { isNativeOrigin } from './passkey-site.js';

/** Origins are compared with what browsers and apps send. */
const siteOrApp: ScalarType<string> = {
  ...text(),
  name: 'origin',
  expects:
    'an origin such as https://account.login.example.com without a path, or that of an app, such ' +
    'as android:apk-key-hash:… or ios:bundle-id:…',
  parse: (value) => {
    const trimmed = value.trim();
    return originOf(trimmed) ?? (isNativeOrigin(trimmed) ? trimmed : new ConversionProblem('not such an origin'));
  },
};

const AAGUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const aaguid: ScalarType<string> = {
  ...text(),
  name: 'AAGUID',
  expects: 'AAGUIDs such as cb69481e-8ff7-4039-93ec-0a2729a154a8, never one of zeros alone',
  parse: (value) => {
    const lower = value.trim().toLowerCase();
    return AAGUID.test(lower) && /[^0-]/.test(lower) ? lower : new ConversionProblem('not such an AAGUID');
  },
};

const roleName = text({ form: /^[A-Z][A-Z0-9_]*$/, called: 'names of roles such as ROLE_ADMIN' });

@Properties('app.security.mfa.passkey')
export class PasskeyProperties {
  @Key(flag(), {
    does:
      'Offers passkeys (WebAuthn) as a second factor. They need a domain name: with an IP address as public URL, or one ' +
      'without https, none are offered. If false, existing passkeys are rejected but kept.',
    effect: full,
  })
  readonly enabled: boolean = true;

  @Key(list(siteOrApp), {
    does:
      'Further origins whose pages or apps may use the passkeys of this service, besides that of app.security.public-url. ' +
      'The host of a page must be that of the public URL or a subdomain of it.',
    effect: full,
  })
  readonly origins: readonly string[] = [];

  @Key(oneOf('preferred', 'required', 'discouraged'), {
    does:
      'Whether the authenticator verifies its user by PIN or biometrics: where it can (preferred), always (required: other ' +
      'responses are rejected), or not if avoidable (discouraged). A passkey that signs in without a password is one factor without it.',
    effect: full,
  })
  readonly userVerification: 'preferred' | 'required' | 'discouraged' = 'preferred';

  @Key(oneOf('off', 'on', 'only'), {
    does:
      'Whether a passkey signs in without a password (on). A passkey whose authenticator verifies its user is two factors; another ' +
      'one is one factor, and a code is the second step. With only, the accounts of sign-in-only-roles that have a passkey cannot ' +
      'sign in by password any more, and those without one set one up at their next sign-in. Passkeys of authenticators that do ' +
      'not store them need the username first, so they remain second factors. Set it after all replicas have this version.',
    effect: full,
  })
  readonly signIn: 'off' | 'on' | 'only' = 'off';

  @Key(list(roleName), {
    does: 'Roles whose accounts sign in by passkey only, with sign-in=only.',
    effect: full,
    defaultText: 'every account',
  })
  readonly signInOnlyRoles: readonly string[] = [];

  @Key(oneOf('none', 'direct'), {
    does:
      'Whether authenticators prove their model at registration (direct); browsers may ask users for permission. Needed ' +
      'for allowed-aaguids; without it, metadata-file recognizes few security keys.',
    effect: full,
  })
  readonly attestation: 'none' | 'direct' = 'none';

  @Key(list(aaguid), {
    does:
      'Models of authenticators that users may register, by AAGUID. Requires attestation=direct and ' +
      'metadata-file, since the model is not proven otherwise. Registered passkeys are not affected.',
    effect: full,
    defaultText: 'every model',
  })
  readonly allowedAaguids: readonly string[] = [];

  @Key(text(), {
    does:
      'File about models of authenticators: the BLOB of the FIDO Metadata Service (https://mds3.fidoalliance.org/), or ' +
      'metadata statements in JSON. Names new passkeys, and rejects models that FIDO reports as compromised or revoked. A ' +
      'replaced file is read at the next registration.',
    effect: full,
    defaultText: 'no file',
  })
  readonly metadataFile?: string;

  @Key(text(), {
    does: 'Root certificates (PEM file) of a private metadata service, in place of those of FIDO.',
    effect: full,
    defaultText: 'the roots of FIDO',
  })
  readonly metadataRoot?: string;

  @Key(flag(), {
    does:
      'Rejects a passkey whose signature counter did not increase, which may mean a copy of it. If false, the event ' +
      'PASSKEY_COUNTER is recorded all the same.',
    effect: full,
  })
  readonly rejectCounter: boolean = true;

  /** True if an account with these stored roles signs in by passkey only, as soon as it has one. */
  signsInByPasskeyOnly(roles: readonly string[]): boolean {
    if (!this.enabled || this.signIn !== 'only') return false;
    return (
      this.signInOnlyRoles.length === 0 || effectiveRoles(roles).some((role) => this.signInOnlyRoles.includes(role))
    );
  }

  /** Absolute path of the file of metadata. */
  get metadataPath(): string | undefined {
    return this.metadataFile === undefined ? undefined : pathOf(this.metadataFile);
  }

  /** Absolute path of the root certificates of a private metadata service. */
  get metadataRootPath(): string | undefined {
    return this.metadataRoot === undefined ? undefined : pathOf(this.metadataRoot);
  }
}
