import * as v from 'valibot';
import { CODES_PER_SET, LOW } from '../../../identity/second-factor/backup-code/backup-code.js';
import { FACTOR_IDS } from '../../../identity/second-factor/second-factor.js';
import { AUTHENTICATOR_TYPES } from '../../../identity/second-factor/factor-state.js';
import { ACR_MFA, ACR_PWD, AMR_METHODS } from '../../../kernel/principal/amr.js';
import { listOf } from '../../../platform/web/schema.js';

/** Authentication methods in the order of the specification (RFC 8176). */
export const amr = v.pipe(
  listOf(v.picklist(AMR_METHODS)),
  v.description(
    'Authentication methods (RFC 8176): `pwd` for a password, and for the second factor `otp` (a one-time code or a ' +
      'backup code), `hwk` (a passkey that is bound to its device) or `swk` (a synced passkey). In a login by passkey alone, ' +
      '`mfa` states that its authenticator has verified the user. For a staff login, the ' +
      'methods that the identity provider states, and those that were proven here.',
  ),
);
export const acr = v.pipe(
  v.picklist([ACR_PWD, ACR_MFA]),
  v.description('Summary of `amr`: `mfa` if it states two factors.'),
);
export const roles = v.pipe(listOf(v.string()), v.description('The roles of the account.'));
const authorities = v.pipe(
  listOf(v.string()),
  v.description('Only `ROLE_PRE_MFA` before the second step; otherwise `ROLE_USER` and the roles.'),
);

const seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Seconds until it expires.'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Members of every response with an access token. */
const tokenEntries = {
  access_token: v.pipe(v.string(), v.description('A signed token (RFC 9068), for `Authorization: Bearer`.')),
  token_type: v.literal('Bearer'),
  expires_in: seconds,
};

/** Members of a response with an access token only for callers by token, not by the cookie `SESSION`. */
const maybeTokenEntries = {
  access_token: v.optional(tokenEntries.access_token),
  token_type: v.optional(tokenEntries.token_type),
  expires_in: v.optional(tokenEntries.expires_in),
};

/** Members that describe a proof of the second factor. */
const proofEntries = {
  amr,
  mfa_method: v.picklist(FACTOR_IDS),
  backup_codes_remaining: v.optional(v.pipe(count, v.description('After a backup code: number of unused codes.'))),
  backup_codes_low: v.optional(v.pipe(v.boolean(), v.description(`After a backup code: true at ${LOW} or fewer.`))),
};

const authenticatorType = v.picklist(AUTHENTICATOR_TYPES);

/** Methods that a caller can use for the second step. */
const openEntries = {
  enrolment_required: v.optional(
    v.pipe(
      v.literal(true),
      v.description('Policy demands a second factor, and the account has none yet, or none that is strong enough.'),
    ),
  ),
  methods: v.pipe(
    listOf(v.picklist(FACTOR_IDS)),
    v.description('Methods that the second step accepts, the strongest first; empty if enrolment comes first.'),
  ),
  enrolment_methods: v.optional(
    v.pipe(
      listOf(authenticatorType),
      v.description('If enrolment comes first: the types of authenticators, one of which has to be set up.'),
    ),
  ),
  access_code_required: v.optional(
    v.pipe(v.literal(true), v.description('If enrolment comes first: it needs a temporary access code.')),
  ),
};

/** A temporary access code. */
export const accessCodeResponse = v.object({
  access_code: v.pipe(
    v.string(),
    v.description('Admits the set-up of the first authenticator, once. Shown only in this response.'),
  ),
  expires: v.date(),
});

/** `POST /login`: an `mfa_token` for the second step, or tokens if that is not required. */
export const loginResponse = v.variant('mfa_required', [
  v.object({
    mfa_required: v.literal(true),
    mfa_token: v.pipe(v.string(), v.description('Only for the second step; valid for one use.')),
    expires_in: seconds,
    ...openEntries,
  }),
  v.object({ mfa_required: v.literal(false), ...tokenEntries, amr }),
]);

/** `POST /login/2fa`. */
export const secondStepResponse = v.object({ ...tokenEntries, ...proofEntries });

/** `POST /token/refresh`. */
export const refreshResponse = v.object({ ...tokenEntries, amr });

/** `POST /session`: a half-authenticated session, or a full one if a second step is not required. */
export const sessionResponse = v.variant('mfa_required', [
  v.object({ mfa_required: v.literal(true), authorities, expires_in: seconds, ...openEntries }),
  v.object({ mfa_required: v.literal(false), authorities, amr }),
]);

const meEntries = {
  sub: v.pipe(v.string(), v.description('The account; never changes.')),
  id: v.pipe(v.string(), v.description('The login id; for staff it begins with the name of their identity provider.')),
  roles,
  amr,
  acr,
  auth_time: v.optional(
    v.pipe(
      v.date(),
      v.description(
        'When the user authenticated with a password or at the identity provider. Absent if the identity provider did not ' +
          'prove it: the login is then not fresh.',
      ),
    ),
  ),
  mfa_at: v.optional(
    v.pipe(
      v.date(),
      v.description('When the second factor was last proven. Absent if the identity provider did not prove the time.'),
    ),
  ),
  idp: v.optional(v.pipe(v.string(), v.description('The identity provider of a staff login.'))),
  name: v.optional(v.pipe(v.string(), v.description('The display name.'))),
  email: v.optional(v.string()),
  email_verified: v.optional(
    v.pipe(
      v.boolean(),
      v.description('Whether mails to `email` are known to reach the user. Absent without an address.'),
    ),
  ),
  groups: v.optional(
    v.pipe(listOf(v.string()), v.description('Groups for applications. Absent if the account is in none.')),
  ),
};

/** `GET /me`. */
export const meResponse = v.object(meEntries);

/** `GET /session`. */
export const sessionStateResponse = v.object({ ...meEntries, authorities });

/** `GET /me/settlement`. */
export const settlementResponse = v.object({ sub: meEntries.sub, amr });

/** One of the authenticators of an account. */
export const authenticator = v.object({
  id: v.string(),
  type: authenticatorType,
  name: v.optional(v.pipe(v.string(), v.description('Given by the owner, or the name of the model.'))),
  created_at: v.date(),
  last_used_at: v.optional(v.date()),
  synced: v.optional(
    v.pipe(v.boolean(), v.description('For a passkey: true if it may be synced, false if it is bound to one device.')),
  ),
});

/** `GET /2fa`. */
export const secondFactorStateResponse = v.object({
  state: v.picklist(['none', 'pending', 'active']),
  activated_at: v.optional(v.date()),
  backup_codes: v.object({
    remaining: count,
    generated_at: v.optional(v.pipe(v.date(), v.description('Absent before codes were generated.'))),
    low: v.pipe(v.boolean(), v.description(`True if an active second factor has ${LOW} codes or fewer.`)),
  }),
  authenticators: v.pipe(listOf(authenticator), v.description('The oldest first.')),
  enrolment_methods: v.pipe(listOf(authenticatorType), v.description('Types of authenticators that can be set up.')),
  required_by_policy: v.boolean(),
  required_strength: v.pipe(
    v.picklist(['any', 'phishing-resistant']),
    v.description('With `phishing-resistant`, only a passkey completes a login.'),
  ),
  required_strength_from: v.optional(
    v.pipe(v.date(), v.description('When policy begins to demand a passkey, if that is in the future.')),
  ),
  required_from: v.optional(
    v.pipe(v.date(), v.description('When policy begins to demand a second factor, if that is in the future.')),
  ),
  locked_until: v.optional(v.date()),
});

const backupCodes = v.pipe(
  v.array(v.pipe(v.string(), v.regex(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/))),
  v.length(CODES_PER_SET),
  v.readonly(),
  v.description('Shown only in this response. Each code works once.'),
);

/** `POST /2fa/setup`. */
export const setupResponse = v.object({
  secret: v.pipe(
    v.string(),
    v.regex(/^[A-Z2-7]{32}$/),
    v.description('In Base32 (RFC 4648). Shown only in this response.'),
  ),
  otpauth_uri: v.pipe(v.string(), v.startsWith('otpauth://totp/')),
  qr: v.pipe(v.string(), v.startsWith('data:image/svg+xml;base64,')),
  backup_codes: v.optional(
    v.pipe(
      backupCodes,
      v.description('Shown only in this response. Each code works once. Absent for a further authenticator app.'),
    ),
  ),
  expires_in: v.pipe(seconds, v.description('Seconds in which the secret can be confirmed.')),
});

/** `POST /2fa/confirm`. */
export const confirmResponse = v.object({ state: v.literal('active'), amr, ...maybeTokenEntries });

/** `POST /2fa/verify`. */
export const verifyResponse = v.object({ ...maybeTokenEntries, ...proofEntries });

/** `POST /2fa/backup-codes`. */
export const backupCodesResponse = v.object({ backup_codes: backupCodes });

/** `POST /2fa/passkeys`. */
export const passkeyResponse = v.object({
  id: v.string(),
  name: v.optional(v.string()),
  synced: v.pipe(v.boolean(), v.description('True if it may be synced, false if it is bound to one device.')),
  created_at: v.date(),
  backup_codes: v.optional(
    v.pipe(
      backupCodes,
      v.description('With the first authenticator. Shown only in this response. Each code works once.'),
    ),
  ),
});

/** RFC 7517 section 5: public keys with the members of their kind. */
export const jwksResponse = v.object({
  keys: listOf(
    v.objectWithRest({ kty: v.string(), kid: v.string(), alg: v.string(), use: v.literal('sig') }, v.string()),
  ),
});

const url = v.pipe(v.string(), v.url());

/** RFC 8414: the members of authorization server metadata that apply to this service. */
/** With applications, there are further members, those of OpenID Connect Discovery. */
export const metadataResponse = v.looseObject({
  issuer: url,
  jwks_uri: url,
  introspection_endpoint: url,
  introspection_endpoint_auth_methods_supported: listOf(v.string()),
  response_types_supported: listOf(v.string()),
  grant_types_supported: listOf(v.string()),
  acr_values_supported: v.pipe(listOf(v.string()), v.description('RFC 9470 section 7.')),
});
