import { describe, expect, it } from 'vitest';
import {
  ACR_MFA,
  ACR_PWD,
  acrOf,
  type Amr,
  amrOf,
  amrText,
  hasOtp,
  hasSecondFactor,
  isPhishingResistant,
} from './amr.js';

describe('what amr states', () => {
  it.each<[Amr, { otp: boolean; any: boolean; resistant: boolean }]>([
    [[], { otp: false, any: false, resistant: false }],
    [['pwd'], { otp: false, any: false, resistant: false }],
    [['otp'], { otp: true, any: true, resistant: false }],
    [['pwd', 'otp'], { otp: true, any: true, resistant: false }],
    [['pwd', 'hwk'], { otp: false, any: true, resistant: true }],
    [['pwd', 'swk'], { otp: false, any: true, resistant: true }],
  ])('%j states a code, any second factor or a phishing-resistant one as %j', (amr, { otp, any, resistant }) => {
    expect(hasOtp(amr)).toBe(otp);
    expect(hasSecondFactor(amr)).toBe(any);
    expect(isPhishingResistant(amr)).toBe(resistant);
    expect(acrOf(amr)).toBe(any ? ACR_MFA : ACR_PWD);
  });
});

describe('the stored form of amr', () => {
  it.each<Amr>([['pwd'], ['otp'], ['pwd', 'otp'], ['pwd', 'hwk'], ['pwd', 'swk']])(
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
