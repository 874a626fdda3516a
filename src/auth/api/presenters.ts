import type { InferOutput } from 'valibot';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { FACTOR_IDS, type OwnFactorState, type Proof } from '../../second-factor/second-factor.js';
import { acrOf, type Amr } from '../../principal/amr.js';
import { authoritiesOf, type FullPrincipal } from '../../principal/principal.js';
import type { loginResponse, meResponse, secondStepResponse, secondFactorStateResponse } from './responses.schema.js';

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
export function toMeBody(principal: FullPrincipal, loginId: string): InferOutput<typeof meResponse> {
  const { subject, roles, amr, authTime, mfaAt, idp } = principal;
  return {
    sub: subject,
    id: loginId,
    roles,
    amr,
    acr: acrOf(amr),
    ...withoutUndefined({ auth_time: optionalDate(authTime), mfa_at: optionalDate(mfaAt), idp }),
  };
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
  isDemanded,
  demandedFrom,
}: OwnFactorState): InferOutput<typeof secondFactorStateResponse> {
  const { state, activatedAt, backupCodes, lock } = factors;
  const { remaining, generatedAt, isLow } = backupCodes;
  return withoutUndefined({
    state,
    activated_at: optionalDate(activatedAt),
    backup_codes: withoutUndefined({ remaining, generated_at: optionalDate(generatedAt), low: isLow }),
    required_by_policy: isDemanded,
    required_from: optionalDate(demandedFrom),
    locked_until: optionalDate(lock?.until),
  });
}

type ChallengeBody = Pick<
  Extract<InferOutput<typeof loginResponse>, { mfa_required: true }>,
  'enrolment_required' | 'methods'
>;

/** Methods that a caller can use for the second step. */
export function toChallengeBody(next: 'none' | 'verify' | 'enrol'): ChallengeBody {
  return next === 'enrol' ? { enrolment_required: true, methods: [] } : { methods: [...FACTOR_IDS] };
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
