import { describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../../../test/support/login/authenticator-app.js';
import { base32 } from '../../../kernel/encoding/base32.js';
import { type TotpVerdict, verifyTotp } from './totp.js';

const KEY = Buffer.from('12345678901234567890');
const NOW = 1_234_567_890;
const STEP = 41_152_263;
const app = AuthenticatorApp.typeIn(base32(KEY));

const codeOfStep = (step: number): string => app.codeAt(step * 30);
const verdictOf = (step: number, lastUsedStep = -1): TotpVerdict =>
  verifyTotp(KEY, codeOfStep(step), NOW, lastUsedStep);

describe('verifyTotp', () => {
  it.each([-1, 0, 1] as const)('T4: accepts the code of step %i relative to the current step', (offset) => {
    expect(verdictOf(STEP + offset)).toEqual({ kind: 'accepted', step: STEP + offset, offset });
  });

  it.each([-3, -2, 2, 3])('T4: rejects the code of step %i relative to the current step as wrong', (offset) => {
    expect(verdictOf(STEP + offset)).toEqual({ kind: 'wrong' });
  });

  it('accepts a code in its own step of thirty seconds and in the steps before and after', () => {
    const code = codeOfStep(STEP);
    const kinds = [-31, -30, -1, 0, 29, 30, 59, 60].map(
      (seconds) => verifyTotp(KEY, code, STEP * 30 + seconds, -1).kind,
    );

    expect(kinds).toEqual(['wrong', ...Array<string>(6).fill('accepted'), 'wrong']);
  });

  it.each([
    ['T1: the code of the last used step', STEP, STEP, 'replayed'],
    ['T2: the code of a step before the last used one', STEP, STEP + 1, 'replayed'],
    ['the code of the step after the last used one', STEP + 1, STEP, 'accepted'],
    ['T1: the code of a step before one that was used with a wrong clock', STEP, STEP + 1000, 'replayed'],
  ])('reports %s as %4$s', (_, step, lastUsedStep, kind) => {
    expect(verdictOf(step, lastUsedStep).kind).toBe(kind);
  });

  it.each([
    ['full-width digits', '００５９２４'],
    ['a sign', '+05924'],
    ['a line break', '005924\n'],
    ['five digits', '05924'],
    ['eight digits', '89005924'],
    ['an empty text', ''],
  ])('rejects %s as wrong', (_, code) => {
    expect(verifyTotp(KEY, code, NOW, -1)).toEqual({ kind: 'wrong' });
  });

  it('accepts a code that several steps share for the highest unused step', () => {
    // Two consecutive steps have the same code, which happens once in a million.
    const step = 47_079_327;
    const code = codeOfStep(step);
    expect(codeOfStep(step + 1)).toBe(code);
    const verdict = (lastUsedStep: number): TotpVerdict => verifyTotp(KEY, code, step * 30, lastUsedStep);

    expect(verdict(-1)).toEqual({ kind: 'accepted', step: step + 1, offset: 1 });
    expect(verdict(step)).toEqual({ kind: 'accepted', step: step + 1, offset: 1 });
    expect(verdict(step + 1)).toEqual({ kind: 'replayed' });
  });
});
