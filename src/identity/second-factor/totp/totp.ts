import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

export const PERIOD_SECONDS = 30;
export const DIGITS = 6;

/** Accepted steps in the order of their verification: the current step, and one on either side. */
const OFFSETS = [0, -1, 1] as const;
export type StepOffset = (typeof OFFSETS)[number];

/** Result of a verification. The caller learns only that a code is not valid; the event distinguishes `replayed` and `wrong`. */
export type TotpVerdict =
  | { readonly kind: 'accepted'; readonly step: number; readonly offset: StepOffset }
  | { readonly kind: 'replayed' }
  | { readonly kind: 'wrong' };

/** The time step of an instant (RFC 6238 section 4.2). */
export function stepAt(epochSeconds: number): number {
  return Math.floor(epochSeconds / PERIOD_SECONDS);
}

/** The code of one step: HOTP with HMAC-SHA-1 (RFC 4226 section 5.3). */
function codeOfStep(key: KeyObject, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(step));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = hash.readUInt8(19) & 0x0f;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Verifies a code of six ASCII digits; a code of several steps is accepted for the highest unused one (RFC 6238 section 5.2). */
export function verifyTotp(key: Uint8Array, code: string, epochSeconds: number, lastUsedStep: number): TotpVerdict {
  if (!/^[0-9]{6}$/.test(code)) return { kind: 'wrong' };
  const current = stepAt(epochSeconds);
  const submitted = Buffer.from(code);
  // Imported once for all three.
  const hmacKey = createSecretKey(key);
  // All three are always compared, so that the time reveals neither whether one fits nor which.
  const fitting = OFFSETS.filter((offset) =>
    timingSafeEqual(Buffer.from(codeOfStep(hmacKey, current + offset)), submitted),
  );
  const unused = fitting.filter((offset) => current + offset > lastUsedStep);
  if (unused.length === 0) return { kind: fitting.length === 0 ? 'wrong' : 'replayed' };
  const offset = unused.reduce((highest, next) => (next > highest ? next : highest));
  return { kind: 'accepted', step: current + offset, offset };
}
