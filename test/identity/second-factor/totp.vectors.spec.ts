import { execFileSync } from 'node:child_process';
import speakeasy from 'speakeasy';
import { describe, expect, it } from 'vitest';
import { base32 } from '../../../src/kernel/encoding/base32.js';
import { codeOfStep, stepAt, verifyTotp } from '../../../src/identity/second-factor/totp/totp.js';
import { programOf } from '../../support/runner/binaries.js';
import { needs } from '../../support/runner/needs.js';
import { fc } from '../../support/runner/property.js';
import published from './totp.json' with { type: 'json' };

const { digits, document, secret, section, vectors } = published;
const key = fc.uint8Array({ minLength: 20, maxLength: 20 });
/** Up to the year 3000; speakeasy counts steps in 31 bits. */
const seconds = fc.integer({ min: 0, max: 32_503_680_000 });

it.each(vectors)(`TOTP at $seconds seconds is $totp (${document}, ${section})`, ({ seconds: instant, step, totp }) => {
  expect(stepAt(instant)).toBe(Number.parseInt(step, 16));
  expect(codeOfStep(Buffer.from(secret), stepAt(instant), digits)).toBe(totp);
});

describe('one-time code of six digits', () => {
  it('one-time codes equal those of speakeasy', () => {
    fc.assert(
      fc.property(key, seconds, (bytes, time) => {
        const theirs = speakeasy.totp({ secret: base32(bytes), encoding: 'base32', time });

        expect(codeOfStep(bytes, stepAt(time))).toBe(theirs);
        expect(verifyTotp(bytes, theirs, time, -1)).toMatchObject({ kind: 'accepted' });
      }),
    );
  });
});

needs('oathtool')('one-time codes of the OATH toolkit', () => {
  it('one-time codes equal those of oathtool', () => {
    fc.assert(
      fc.property(key, seconds, (bytes, time) => {
        const args = ['--totp', '--base32', `--now=@${time}`, '-'];
        const theirs = execFileSync(programOf('oathtool'), args, { input: `${base32(bytes)}\n`, encoding: 'utf8' });

        expect(codeOfStep(bytes, stepAt(time))).toBe(theirs.trim());
      }),
      { numRuns: 40 },
    );
  });
});
