import type { InferOutput } from 'valibot';
import type { EnrolmentState } from '../../second-factor/second-factor.js';
import { FACTOR_IDS, type Proof } from '../../second-factor/second-factor.js';
import { acrOf, type Amr } from '../../principal/amr.js';
import { authoritiesOf, type FullPrincipal } from '../../principal/principal.js';
import type { loginResponse, meResponse, secondStepResponse, secondFactorStateResponse } from './responses.schema.js';

/** Members of every answer that brings an access token. */
export type TokenBody = Pick<InferOutput<typeof secondStepResponse>, 'access_token' | 'token_type' | 'expires_in'>;

export function toTokenBody({ accessToken, expiresIn }: { accessToken: string; expiresIn: number }): TokenBody {
  return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn };
}

/** How a second factor was proven, as answers tell it. */
type ProofBody = Omit<InferOutput<typeof secondStepResponse>, keyof TokenBody>;

export function toProofBody(amr: Amr, proof: Proof): ProofBody {
  const members = { amr, mfa_method: proof.method };
  if (proof.method === 'totp') return members;
  return { ...members, backup_codes_remaining: proof.remaining, backup_codes_low: proof.isLow };
}

/** `GET /me` and, with authorities, `GET /session`. */
export function toMeBody(principal: FullPrincipal, loginId: string): InferOutput<typeof meResponse> {
  const { subject, roles, amr, authTime, mfaAt, idp } = principal;
  return {
    sub: subject,
    id: loginId,
    roles,
    amr,
    acr: acrOf(amr),
    ...(authTime !== undefined && { auth_time: toDate(authTime) }),
    ...(mfaAt !== undefined && { mfa_at: toDate(mfaAt) }),
    ...(idp !== undefined && { idp }),
  };
}

export function toAuthoritiesBody(principal: FullPrincipal): { readonly authorities: readonly string[] } {
  return { authorities: authoritiesOf(principal) };
}

/** An instant as bodies carry it: a `Date`, which is written as text. */
export function toDate(seconds: number): Date {
  return new Date(seconds * 1000);
}

/** `GET /2fa`. */
export function toFactorStateBody(
  { state, activatedAt, backupCodes, lock }: EnrolmentState,
  isDemanded: boolean,
): InferOutput<typeof secondFactorStateResponse> {
  const { remaining, generatedAt, isLow } = backupCodes;
  return {
    state,
    ...(activatedAt !== undefined && { activated_at: toDate(activatedAt) }),
    backup_codes: {
      remaining,
      ...(generatedAt !== undefined && { generated_at: toDate(generatedAt) }),
      low: isLow,
    },
    required_by_policy: isDemanded,
    ...(lock && { locked_until: toDate(lock.until) }),
  };
}

type ChallengeBody = Pick<
  Extract<InferOutput<typeof loginResponse>, { mfa_required: true }>,
  'enrolment_required' | 'methods'
>;

/** Methods that a caller can use for the second step. */
export function toChallengeBody(next: 'none' | 'verify' | 'enrol'): ChallengeBody {
  return next === 'enrol' ? { enrolment_required: true, methods: [] } : { methods: [...FACTOR_IDS] };
}

/** A page of a list; `next` is there where more may follow. */
export function toListBody<T extends { readonly id: string }, M>(
  rows: readonly T[],
  { limit }: { readonly limit: number },
  members: (row: T) => M,
): { readonly items: readonly M[]; readonly next?: string } {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { items: rows.map(members), ...(last && { next: last.id }) };
}
