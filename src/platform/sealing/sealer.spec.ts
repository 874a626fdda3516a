import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { Sealer, SealFailure } from './sealer.js';

const random = new SystemRandom();
const k1 = random.bytes(32);
const k2 = random.bytes(32);
const before = new Sealer('k1', new Map([['k1', k1]]), random);
const after = new Sealer(
  'k2',
  new Map([
    ['k1', k1],
    ['k2', k2],
  ]),
  random,
);

describe('a sealed text', () => {
  it('opens to the sealed value, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (plain, context) => {
        expect(before.open(before.seal(plain, context), context)).toEqual(Buffer.from(plain));
      }),
    );
  });

  it('contains the id of its key and nothing of the value', () => {
    const sealed = before.seal(Buffer.from('JBSWY3DPEHPK3PXP'), 'totp:anna');

    expect(sealed).toMatch(/^k1\.[\w-]{59}$/);
    expect(before.keyIdOf(sealed)).toBe('k1');
    expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('JBSWY3DP');
  });

  it('differs each time the same value is sealed', () => {
    const plain = Buffer.from('same');

    expect(before.seal(plain, 'c')).not.toBe(before.seal(plain, 'c'));
  });

  it('opens only in its own context', () => {
    const sealed = before.seal(Buffer.from('x'), 'totp:anna');

    expect(() => before.open(sealed, 'totp:eve')).toThrow(SealFailure);
  });

  it('does not open with one bit changed', () => {
    const sealed = before.seal(Buffer.from('secret'), 'c');
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);

      expect(() => before.open(`k1.${changed.toString('base64url')}`, 'c')).toThrow(SealFailure);
    }
  });

  it('a text sealed under an earlier key still opens, and is not reported as sealed under the active key', () => {
    const sealed = before.seal(Buffer.from('x'), 'c');

    expect(after.open(sealed, 'c').toString()).toBe('x');
    expect(after.isUnderActiveKey(sealed)).toBe(false);
    expect(after.isUnderActiveKey(after.seal(Buffer.from('x'), 'c'))).toBe(true);
  });

  it.each(['', '.', 'k1', 'k1.', 'k1.AAAA', '.AAAA', 'k1.%%%'])('is not recognized: %j', (text) => {
    expect(() => before.open(text, 'c')).toThrow(SealFailure);
  });

  it('a text sealed under an unknown key fails with the id of the missing key only', () => {
    const sealed = after.seal(Buffer.from('x'), 'c');

    expect(() => before.open(sealed, 'c')).toThrow(
      'a value is sealed under the key "k2", which app.security.seal.keys does not have',
    );
  });
});

describe('derived keys', () => {
  it('differ by purpose and by seal key', () => {
    const keys = [before, after].flatMap((sealer) => ['a', 'b'].flatMap((purpose) => hexOf(sealer, purpose)));

    expect(new Set(keys).size).toBe(4);
    expect(keys).toHaveLength(6);
    expect(keys.every((key) => key.length === 64)).toBe(true);
  });

  it('include those of earlier seal keys, after that of the active one', () => {
    const [ofActive] = hexOf(new Sealer('k2', new Map([['k2', k2]]), random), 'a');

    expect(hexOf(after, 'a')).toEqual([ofActive, ...hexOf(before, 'a')]);
  });
});

it('an active key that is not among the keys is rejected', () => {
  expect(() => new Sealer('k3', new Map([['k1', k1]]), random)).toThrow(SealFailure);
});

function hexOf(sealer: Sealer, purpose: string): readonly string[] {
  return sealer.derivedKeys(purpose).map((key) => key.export().toString('hex'));
}
