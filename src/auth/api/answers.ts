import type { InferOutput } from 'valibot';
import type { FactorState } from '../../second-factor/attempts/factor-state.js';
import type { Proof } from '../../second-factor/proof.js';
import { acrOf, type Amr } from '../../principal/amr.js';
import { authoritiesOf, type FullPrincipal } from '../../principal/principal.js';
import type { loginAnswer, meAnswer, secondStepAnswer, stateAnswer } from './responses.schema.js';

/** Members of every answer that brings an access token. */
export type TokenMembers = Pick<InferOutput<typeof secondStepAnswer>, 'access_token' | 'token_type' | 'expires_in'>;

export function tokenMembers({ accessToken, expiresIn }: { accessToken: string; expiresIn: number }): TokenMembers {
  return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn };
}

/** How a second factor was proven, as answers tell it. */
type ProofMembers = Omit<InferOutput<typeof secondStepAnswer>, keyof TokenMembers>;

export function proofMembers(amr: Amr, proof: Proof): ProofMembers {
  const members = { amr, mfa_method: proof.method };
  if (proof.method === 'totp') return members;
  return { ...members, backup_codes_remaining: proof.remaining, backup_codes_low: proof.isLow };
}

/** `GET /me` and, with authorities, `GET /session`. */
export function meMembers(principal: FullPrincipal, loginId: string): InferOutput<typeof meAnswer> {
  const { subject, roles, amr, authTime, mfaAt, idp } = principal;
  return {
    sub: subject,
    id: loginId,
    roles,
    amr,
    acr: acrOf(amr),
    ...(authTime !== undefined && { auth_time: instant(authTime) }),
    ...(mfaAt !== undefined && { mfa_at: instant(mfaAt) }),
    ...(idp !== undefined && { idp }),
  };
}

export function authoritiesMember(principal: FullPrincipal): { readonly authorities: readonly string[] } {
  return { authorities: authoritiesOf(principal) };
}

/** An instant as bodies carry it: a `Date`, which is written as text. */
export function instant(seconds: number): Date {
  return new Date(seconds * 1000);
}

/** `GET /2fa`. */
export function stateMembers(
  { state, activatedAt, backupCodes, lock }: FactorState,
  isDemanded: boolean,
): InferOutput<typeof stateAnswer> {
  const { remaining, generatedAt, isLow } = backupCodes;
  return {
    state,
    ...(activatedAt !== undefined && { activated_at: instant(activatedAt) }),
    backup_codes: {
      remaining,
      ...(generatedAt !== undefined && { generated_at: instant(generatedAt) }),
      low: isLow,
    },
    required_by_policy: isDemanded,
    ...(lock && { locked_until: instant(lock.until) }),
  };
}

type OpenMembers = Pick<
  Extract<InferOutput<typeof loginAnswer>, { mfa_required: true }>,
  'enrolment_required' | 'methods'
>;

/** What a challenged caller can do next. */
export function openMembers(next: 'none' | 'verify' | 'enrol'): OpenMembers {
  return next === 'enrol' ? { enrolment_required: true, methods: [] } : { methods: ['totp', 'backup_code'] };
}

/** A page of a list; `next` is there where more may follow. */
export function listMembers<T extends { readonly id: string }, M>(
  rows: readonly T[],
  { limit }: { readonly limit: number },
  members: (row: T) => M,
): { readonly items: readonly M[]; readonly next?: string } {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { items: rows.map(members), ...(last && { next: last.id }) };
}
