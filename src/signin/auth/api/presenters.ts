import type { InferOutput } from 'valibot';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Account } from '../../../identity/account/account.js';
import type { DueStep, Proof } from '../../../identity/second-factor/second-factor.js';
import type { OwnFactorState } from '../../../identity/second-factor/factor-state.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import { acrOf, type Amr } from '../../../kernel/principal/amr.js';
import type { Challenge } from '../login/first-factor.js';
import { authoritiesOf, type FullPrincipal } from '../../../kernel/principal/principal.js';
import type { IssuedAccessCode } from '../../../identity/second-factor/access-code/access-code.js';
import type {
  accessCodeResponse,
  authenticator,
  loginResponse,
  meResponse,
  secondStepResponse,
  secondFactorStateResponse,
} from './responses.schema.js';

/** Members that describe a proof of the second factor. */
type ProofBody = Pick<
  InferOutput<typeof secondStepResponse>,
  'amr' | 'mfa_method' | 'backup_codes_remaining' | 'backup_codes_low'
>;

export function toProofBody(amr: Amr, proof: Proof): ProofBody {
  const members = { amr, mfa_method: proof.method };
  if (proof.method !== 'backup_code') return members;
  return { ...members, backup_codes_remaining: proof.remaining, backup_codes_low: proof.isLow };
}

/** `GET /me` and, with authorities, `GET /session`. */
export function toMeBody(principal: FullPrincipal, account: Account): InferOutput<typeof meResponse> {
  const { subject, roles, amr, authTime, mfaAt, idp } = principal;
  return {
    sub: subject,
    id: account.loginId,
    roles,
    amr,
    acr: acrOf(amr),
    ...withoutUndefined({ auth_time: optionalDate(authTime), mfa_at: optionalDate(mfaAt), idp }),
    ...toProfileBody(account),
  };
}

type ProfileBody = Pick<InferOutput<typeof meResponse>, 'name' | 'email' | 'email_verified' | 'groups'>;

function toProfileBody({ displayName, email, emailVerified, groups }: Account): ProfileBody {
  return withoutUndefined({
    name: displayName,
    email,
    email_verified: email === undefined ? undefined : emailVerified,
    groups: groups.length === 0 ? undefined : groups,
  });
}

export function toAuthoritiesBody(principal: FullPrincipal): { readonly authorities: readonly string[] } {
  return { authorities: authoritiesOf(principal) };
}

/** An instant of a body: a `Date`, which is sent as text. */
export function toDate(seconds: number): Date {
  return new Date(seconds * 1000);
}

function optionalDate(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : toDate(seconds);
}

/** `GET /2fa`. */
export function toFactorStateBody({
  factors,
  authenticators,
  enrolmentMethods,
  isDemanded,
  isPasskeyDemanded,
  demandedFrom,
  passkeyFrom,
}: OwnFactorState): InferOutput<typeof secondFactorStateResponse> {
  const { state, activatedAt, backupCodes, lock } = factors;
  const { remaining, generatedAt, isLow } = backupCodes;
  return withoutUndefined({
    state,
    activated_at: optionalDate(activatedAt),
    backup_codes: withoutUndefined({ remaining, generated_at: optionalDate(generatedAt), low: isLow }),
    authenticators: authenticators.map(toAuthenticatorBody),
    enrolment_methods: enrolmentMethods,
    required_by_policy: isDemanded,
    required_strength: isPasskeyDemanded ? ('phishing-resistant' as const) : ('any' as const),
    required_from: optionalDate(demandedFrom),
    required_strength_from: optionalDate(passkeyFrom),
    locked_until: optionalDate(lock?.until),
  });
}

/** One of the authenticators of an account. */
export function toAuthenticatorBody(listed: Authenticator): InferOutput<typeof authenticator> {
  const { id, type, name, createdAt, lastUsedAt, isSynced } = listed;
  return withoutUndefined({
    ...{ id, type, name, created_at: toDate(createdAt) },
    last_used_at: optionalDate(lastUsedAt),
    synced: isSynced,
  });
}

type ChallengeBody = Pick<
  Extract<InferOutput<typeof loginResponse>, { mfa_required: true }>,
  'enrolment_required' | 'enrolment_methods' | 'access_code_required' | 'methods'
>;

/** Methods that a caller can use for the second step, or to enrol. */
export function toChallengeBody({ next, methods, needsAccessCode }: DueStep): ChallengeBody {
  if (next !== 'enrol') return { methods };
  return {
    enrolment_required: true,
    methods: [],
    enrolment_methods: methods.filter((method) => method !== 'backup_code'),
    ...(needsAccessCode && { access_code_required: true }),
  };
}

/** `POST /login` and `POST /login/passkey` before the second step. */
export function toLoginChallengeBody(
  due: DueStep,
  { mfaToken, expiresIn }: Challenge,
): InferOutput<typeof loginResponse> {
  return { mfa_required: true, mfa_token: mfaToken, expires_in: expiresIn, ...toChallengeBody(due) };
}

/** A temporary access code, in the only response that shows it. */
export function toAccessCodeBody({ code, expiresAt }: IssuedAccessCode): InferOutput<typeof accessCodeResponse> {
  return { access_code: code, expires: toDate(expiresAt) };
}

/** A part of a list; `next` is present if more may follow. */
export function toListBody<T extends { readonly id: string }, M>(
  rows: readonly T[],
  page: { readonly limit: number },
  members: (row: T) => M,
): { readonly items: readonly M[]; readonly next?: string } {
  return toListBodyBy(rows, page, members, ({ id }) => id);
}

/** As `toListBody`, for a list that `key` orders. */
export function toListBodyBy<T, M>(
  rows: readonly T[],
  { limit }: { readonly limit: number },
  members: (row: T) => M,
  key: (row: T) => string,
): { readonly items: readonly M[]; readonly next?: string } {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { items: rows.map(members), ...(last !== undefined && { next: key(last) }) };
}
