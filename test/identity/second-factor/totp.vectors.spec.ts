import { execFileSync } from 'node:child_process';
import speakeasy from 'speakeasy';
import { describe, expect, it } from 'vitest';
import { base32 } from '../../../src/kernel/encoding/base32.js';
import { stepAt, type TotpVerdict, verifyTotp } from '../../../src/identity/second-factor/totp/totp.js';
import { programOf } from '../../support/runner/binaries.js';
import { needs } from '../../support/runner/needs.js';
import { fc } from '../../support/runner/property.js';
import published from './totp.json' with { type: 'json' };

const { document, secret, section, vectors } = published;
const key = fc.uint8Array({ minLength: 20, maxLength: 20 });
/** Up to the year 3000; speakeasy counts steps in 31 bits. */
const seconds = fc.integer({ min: 0, max: 32_503_680_000 });

/** One step earlier, the step of `time` is the only unused one that can accept the code. */
function verdictOf(bytes: Uint8Array, code: string, time: number): TotpVerdict {
  return verifyTotp(bytes, code, time - 30, stepAt(time) - 1);
}

it.each(vectors)(
  `TOTP at $seconds seconds has the last six digits of $totp (${document}, ${section})`,
  ({ seconds: instant, step, totp }) => {
    expect(stepAt(instant)).toBe(Number.parseInt(step, 16));
    expect(verdictOf(Buffer.from(secret), totp.slice(-6), instant)).toMatchObject({ kind: 'accepted' });
  },
);

describe('one-time code of six digits', () => {
  it('one-time codes equal those of speakeasy', () => {
    fc.assert(
      fc.property(key, seconds, (bytes, time) => {
        const theirs = speakeasy.totp({ secret: base32(bytes), encoding: 'base32', time });

        expect(verdictOf(bytes, theirs, time)).toMatchObject({ kind: 'accepted' });
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

        expect(verdictOf(bytes, theirs.trim(), time)).toMatchObject({ kind: 'accepted' });
      }),
      { numRuns: 40 },
    );
  });
});
