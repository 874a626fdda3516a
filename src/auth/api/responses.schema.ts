import * as v from 'valibot';
import { CODES_PER_SET, LOW } from '../../second-factor/backup-code/backup-code.js';
import { FACTOR_IDS } from '../../second-factor/second-factor.js';
import { ACR_MFA, ACR_PWD } from '../../principal/amr.js';
import { listOf } from '../../web/schema.js';

/** Authentication methods in the order of the specification (RFC 8176). */
export const amr = v.pipe(
  listOf(v.picklist(['pwd', 'otp'])),
  v.description(
    'How the login was proven (RFC 8176): `pwd` by a password, `otp` by a second factor. Of a staff login, what the ' +
      'identity provider vouched for, and what was proven here.',
  ),
);
export const acr = v.pipe(
  v.picklist([ACR_PWD, ACR_MFA]),
  v.description('The same as one word: `mfa` where `otp` is in `amr`.'),
);
export const roles = v.pipe(listOf(v.string()), v.description('The roles of the account.'));
const authorities = v.pipe(
  listOf(v.string()),
  v.description('`ROLE_PRE_MFA` alone while the second factor is open; otherwise `ROLE_USER` and the roles.'),
);

const seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Seconds until it ends.'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Members of every answer that brings an access token. */
const tokenEntries = {
  access_token: v.pipe(v.string(), v.description('A signed token (RFC 9068), for `Authorization: Bearer`.')),
  token_type: v.literal('Bearer'),
  expires_in: seconds,
};

/** The same, where a caller by the cookie `SESSION` gets none. */
const maybeTokenEntries = {
  access_token: v.optional(tokenEntries.access_token),
  token_type: v.optional(tokenEntries.token_type),
  expires_in: v.optional(tokenEntries.expires_in),
};

/** How a second factor was proven. */
const proofEntries = {
  amr,
  mfa_method: v.picklist(FACTOR_IDS),
  backup_codes_remaining: v.optional(v.pipe(count, v.description('After a backup code: how many are left.'))),
  backup_codes_low: v.optional(v.pipe(v.boolean(), v.description(`After a backup code: true at ${LOW} or fewer.`))),
};

/** Methods that a caller can use for the second step. */
const openEntries = {
  enrolment_required: v.optional(
    v.pipe(v.literal(true), v.description('Policy demands a second factor that is still to be set up.')),
  ),
  methods: v.pipe(
    listOf(v.picklist(FACTOR_IDS)),
    v.description('What the second step takes; empty where enrolment comes first.'),
  ),
};

/** `POST /login`: an `mfa_token` for the second step, or tokens where none is needed. */
export const loginResponse = v.variant('mfa_required', [
  v.object({
    mfa_required: v.literal(true),
    mfa_token: v.pipe(v.string(), v.description('For the second step alone; can be used once.')),
    expires_in: seconds,
    ...openEntries,
  }),
  v.object({ mfa_required: v.literal(false), ...tokenEntries, amr }),
]);

/** `POST /login/2fa`. */
export const secondStepResponse = v.object({ ...tokenEntries, ...proofEntries });

/** `POST /token/refresh`. */
export const refreshResponse = v.object({ ...tokenEntries, amr });

/** `POST /session`: a half-authenticated session, or a full one where no second step is needed. */
export const sessionResponse = v.variant('mfa_required', [
  v.object({ mfa_required: v.literal(true), authorities, expires_in: seconds, ...openEntries }),
  v.object({ mfa_required: v.literal(false), authorities, amr }),
]);

const meEntries = {
  sub: v.pipe(v.string(), v.description('The account; never changes.')),
  id: v.pipe(v.string(), v.description('The login id; that of staff begins with the name of their identity provider.')),
  roles,
  amr,
  acr,
  auth_time: v.optional(
    v.pipe(
      v.date(),
      v.description(
        'When the user authenticated with a password or at the identity provider. Missing where the identity provider did ' +
          'not prove it: the login is then not fresh.',
      ),
    ),
  ),
  mfa_at: v.optional(
    v.pipe(
      v.date(),
      v.description('When the second factor was proven last. Missing where the identity provider did not prove it.'),
    ),
  ),
  idp: v.optional(v.pipe(v.string(), v.description('The identity provider of a staff login.'))),
};

/** `GET /me`. */
export const meResponse = v.object(meEntries);

/** `GET /session`. */
export const sessionStateResponse = v.object({ ...meEntries, authorities });

/** `GET /me/settlement`. */
export const settlementResponse = v.object({ sub: meEntries.sub, amr });

/** `GET /2fa`. */
export const secondFactorStateResponse = v.object({
  state: v.picklist(['none', 'pending', 'active']),
  activated_at: v.optional(v.date()),
  backup_codes: v.object({
    remaining: count,
    generated_at: v.optional(v.pipe(v.date(), v.description('Not there before any were generated.'))),
    low: v.pipe(v.boolean(), v.description(`True at ${LOW} or fewer of an active second factor.`)),
  }),
  required_by_policy: v.boolean(),
  locked_until: v.optional(v.date()),
});

const backupCodes = v.pipe(
  v.array(v.pipe(v.string(), v.regex(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/))),
  v.length(CODES_PER_SET),
  v.readonly(),
  v.description('Shown this once. Each of them works once.'),
);

/** `POST /2fa/setup`. */
export const setupResponse = v.object({
  secret: v.pipe(v.string(), v.regex(/^[A-Z2-7]{32}$/), v.description('In Base32 (RFC 4648). Shown this once.')),
  otpauth_uri: v.pipe(v.string(), v.startsWith('otpauth://totp/')),
  qr: v.pipe(v.string(), v.startsWith('data:image/svg+xml;base64,')),
  backup_codes: backupCodes,
  expires_in: v.pipe(seconds, v.description('Seconds until the secret is forgotten unless it is confirmed.')),
});

/** `POST /2fa/confirm`. */
export const confirmResponse = v.object({ state: v.literal('active'), amr, ...maybeTokenEntries });

/** `POST /2fa/verify`. */
export const verifyResponse = v.object({ ...maybeTokenEntries, ...proofEntries });

/** `POST /2fa/backup-codes`. */
export const backupCodesResponse = v.object({ backup_codes: backupCodes });

/** RFC 7517 section 5: public keys with the members of their kind. */
export const jwksResponse = v.object({
  keys: listOf(
    v.objectWithRest({ kty: v.string(), kid: v.string(), alg: v.string(), use: v.literal('sig') }, v.string()),
  ),
});

const url = v.pipe(v.string(), v.url());

/** RFC 8414: the members of authorization server metadata that apply to this service. */
export const metadataResponse = v.object({
  issuer: url,
  jwks_uri: url,
  introspection_endpoint: url,
  introspection_endpoint_auth_methods_supported: listOf(v.string()),
  response_types_supported: listOf(v.string()),
  grant_types_supported: listOf(v.string()),
  acr_values_supported: v.pipe(listOf(v.string()), v.description('RFC 9470 section 7.')),
});
