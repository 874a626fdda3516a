import { describe, expect, it } from 'vitest';
import {
  ACR_MFA,
  ACR_PWD,
  acrOf,
  ACR_PHR,
  type Amr,
  amrAfterStepUp,
  amrOf,
  amrOfLogin,
  amrText,
  hasOtp,
  hasSecondFactor,
  isPhishingResistant,
  meetsAcr,
} from './amr.js';

describe('what amr states', () => {
  it.each<[Amr, { otp: boolean; any: boolean; resistant: boolean }]>([
    [[], { otp: false, any: false, resistant: false }],
    [['pwd'], { otp: false, any: false, resistant: false }],
    [['otp'], { otp: true, any: true, resistant: false }],
    [['pwd', 'otp'], { otp: true, any: true, resistant: false }],
    [['pwd', 'hwk'], { otp: false, any: true, resistant: true }],
    [['pwd', 'swk'], { otp: false, any: true, resistant: true }],
    [['hwk'], { otp: false, any: false, resistant: true }],
    [['swk', 'mfa'], { otp: false, any: true, resistant: true }],
    [['otp', 'hwk'], { otp: true, any: true, resistant: true }],
    [['otp', 'mfa'], { otp: true, any: true, resistant: false }],
  ])('%j states a code, any second factor or a phishing-resistant one as %j', (amr, { otp, any, resistant }) => {
    expect(hasOtp(amr)).toBe(otp);
    expect(hasSecondFactor(amr)).toBe(any);
    expect(isPhishingResistant(amr)).toBe(resistant);
    expect(acrOf(amr)).toBe(any ? ACR_MFA : ACR_PWD);
    expect(meetsAcr(amr, ACR_PHR)).toBe(any && resistant);
  });

  it.each<[Amr, Amr[number], Amr]>([
    [['pwd'], 'otp', ['pwd', 'otp']],
    [['pwd'], 'hwk', ['pwd', 'hwk']],
    [['swk'], 'otp', ['otp', 'swk']],
  ])('U6: a login that began with %j has, after a second step by %s, %j', (first, second, amr) => {
    expect(amrOfLogin(first, second)).toEqual(amr);
  });

  it.each<[Amr, Amr[number], Amr]>([
    [['pwd'], 'otp', ['pwd', 'otp']],
    [['pwd', 'hwk'], 'otp', ['pwd', 'otp']],
    [['otp'], 'hwk', ['pwd', 'hwk']],
    [['hwk', 'mfa'], 'otp', ['otp', 'mfa']],
    [['otp', 'mfa'], 'swk', ['swk', 'mfa']],
    [['otp', 'hwk'], 'hwk', ['hwk', 'mfa']],
  ])('U6: a session with %j has, after a step-up by %s, %j', (before, proof, amr) => {
    expect(amrAfterStepUp(before, proof)).toEqual(amr);
    expect(hasSecondFactor(amr)).toBe(true);
  });
});

describe('the stored form of amr', () => {
  it.each<Amr>([['pwd'], ['otp'], ['pwd', 'otp'], ['pwd', 'hwk'], ['pwd', 'swk'], ['swk', 'mfa']])(
    'reads %s as it was written',
    (...amr) => {
      expect(amrOf(amrText(amr))).toEqual(amr);
    },
  );

  it.each([
    ['', []],
    ['pwd face', ['pwd']],
    ['pwd HWK', ['pwd']],
    ['pwd  swk ', ['pwd', 'swk']],
    ['pwd toString', ['pwd']],
  ])('reads only known methods of "%s"', (text, amr) => {
    expect(amrOf(text)).toEqual(amr);
  });
});
