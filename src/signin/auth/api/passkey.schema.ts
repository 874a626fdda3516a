import type { AuthenticationResponseJSON, AuthenticatorTransport } from '@simplewebauthn/server';
import * as v from 'valibot';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Registration } from '../../../identity/second-factor/passkey/passkey.js';
import { accessCode, authenticatorName, code, password, resource } from './login.schema.js';

/** Longest binary members, in Base64url: room for attestations with certificates, and for RSA keys. */
const MAX_LENGTH = 16_384;
/** WebAuthn level 3, section 5.8.4. */
const TRANSPORTS = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as readonly AuthenticatorTransport[];

const bytes = base64url(/^[A-Za-z0-9_-]+$/, 'Base64url without padding.');

/** A binary member that is optional: some browsers send an empty one in place of none. */
const optionalBytes = v.optional(
  v.nullable(base64url(/^[A-Za-z0-9_-]*$/, 'Base64url without padding; empty is the same as absent.')),
);

/** Members of every response of `navigator.credentials`; browsers may add others. */
const credentialEntries = {
  id: bytes,
  rawId: bytes,
  type: v.literal('public-key'),
  // Unknown values are read like none (WebAuthn level 3, section 5.1), and nothing depends on it.
  authenticatorAttachment: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(MAX_LENGTH, 'too_long')))),
  clientExtensionResults: v.pipe(v.record(v.string(), v.unknown()), v.description('Ignored: none are asked for.')),
};

/** RegistrationResponseJSON (WebAuthn level 3, section 5.1). Transports that are not known are ignored. */
const registration = v.pipe(
  v.looseObject({
    ...credentialEntries,
    response: v.looseObject({
      clientDataJSON: bytes,
      attestationObject: bytes,
      transports: v.optional(v.pipe(v.array(v.string()), v.maxLength(16, 'too_long'))),
    }),
  }),
  v.description('`PublicKeyCredential.toJSON()` of the new credential.'),
);

/** AuthenticationResponseJSON (WebAuthn level 3, section 5.1). */
const assertion = v.pipe(
  v.looseObject({
    ...credentialEntries,
    response: v.looseObject({
      clientDataJSON: bytes,
      authenticatorData: bytes,
      signature: bytes,
      userHandle: optionalBytes,
    }),
  }),
  v.description('`PublicKeyCredential.toJSON()` of the assertion.'),
);

/** `POST /2fa/passkeys/registration/options`. */
export const registrationOptionsSchema = v.strictObject({
  pw: v.optional(password),
  access_code: v.optional(accessCode),
  code: v.optional(
    v.pipe(
      code,
      v.description(
        'Before the login is complete: a code of the authenticator app or a backup code, if the account has them and policy ' +
          'demands a passkey.',
      ),
    ),
  ),
});

/** `POST /2fa/passkeys`. */
export const registrationSchema = v.strictObject({ credential: registration, name: v.optional(authenticatorName) });

/** `POST /2fa/passkeys/assertion`. */
export const assertionSchema = v.strictObject({
  credential: assertion,
  trust_device: v.optional(
    v.pipe(v.boolean(), v.description('Asks to skip the second step in this browser for a while.')),
  ),
  resource,
});

/** `POST /login/passkey`. */
export const passkeyLoginSchema = v.strictObject({ credential: assertion, resource });

const descriptor = v.object({
  id: v.string(),
  type: v.literal('public-key'),
  transports: v.optional(v.array(v.string())),
});

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.1.9). */
export const creationOptionsResponse = v.pipe(
  v.objectWithRest({ challenge: v.string(), excludeCredentials: v.optional(v.array(descriptor)) }, v.unknown()),
  v.description('For `PublicKeyCredential.parseCreationOptionsFromJSON()`.'),
);

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, section 5.1.10). */
export const requestOptionsResponse = v.pipe(
  v.objectWithRest({ challenge: v.string(), allowCredentials: v.optional(v.array(descriptor)) }, v.unknown()),
  v.description('For `PublicKeyCredential.parseRequestOptionsFromJSON()`.'),
);

/** The registration of a body, with the transports that are known. */
export function toRegistration({ response, ...credential }: v.InferOutput<typeof registration>): Registration {
  const { transports, clientDataJSON, attestationObject } = response;
  const known = withoutUndefined({
    transports: transports && TRANSPORTS.filter((known) => transports.includes(known)),
  });
  return { ...membersOf(credential), response: { clientDataJSON, attestationObject, ...known } };
}

/** The assertion of a body. */
export function toAssertion({ response, ...credential }: v.InferOutput<typeof assertion>): AuthenticationResponseJSON {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const handle = withoutUndefined({ userHandle: userHandle === '' ? undefined : (userHandle ?? undefined) });
  return { ...membersOf(credential), response: { clientDataJSON, authenticatorData, signature, ...handle } };
}

function membersOf({
  id,
  rawId,
  type,
}: Pick<v.InferOutput<typeof assertion>, 'id' | 'rawId' | 'type'>): Omit<AuthenticationResponseJSON, 'response'> {
  return { id, rawId, type, clientExtensionResults: {} };
}

function base64url(form: RegExp, description: string) {
  return v.pipe(v.string(), v.maxLength(MAX_LENGTH, 'too_long'), v.regex(form, 'format'), v.description(description));
}
