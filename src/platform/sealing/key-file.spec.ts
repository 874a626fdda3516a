import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { ConfigurationFailure } from '../../config/problem.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { SealProperties } from './seal.properties.js';
import { openSealer } from './open-sealer.js';

const random = new SystemRandom();
const unset = new SealProperties();
const withKey = (id: string): SealProperties =>
  Object.assign(new SealProperties(), { keys: new Map([[id, random.bytes(32)]]) });
const outside = (folder: string): Parameters<typeof openSealer>[1] => ({ folder, isProduction: false });

describe('the seal key in a file', () => {
  it('is created at the first start, readable by its owner only, and read at the next', () => {
    const folder = join(temporaryFolder(), 'data');

    const sealed = openSealer(unset, outside(folder), random).seal(Buffer.from('x'), 'c');

    expect(openSealer(unset, outside(folder), random).open(sealed, 'c').toString()).toBe('x');
    expect(statSync(join(folder, 'seal.key')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['seal.key']);
    expect(readFileSync(join(folder, 'seal.key'), 'utf8')).toMatch(/^[\w+/]{43}=\n$/);
  });

  it('still opens its sealed values after the first key is configured', () => {
    const folder = temporaryFolder();
    const sealed = openSealer(unset, outside(folder), random).seal(Buffer.from('x'), 'c');
    const sealer = openSealer(withKey('k1'), outside(folder), random);

    expect(sealer.activeKeyId).toBe('k1');
    expect(sealer.open(sealed, 'c').toString()).toBe('x');
  });

  it('is neither created nor read in production', () => {
    const folder = temporaryFolder();
    const sealed = openSealer(unset, outside(folder), random).seal(Buffer.from('x'), 'c');

    expect(() => openSealer(unset, { folder, isProduction: true }, random)).toThrow(ConfigurationFailure);
    expect(() => openSealer(withKey('k1'), { folder, isProduction: true }, random).open(sealed, 'c')).toThrow('"file"');
  });

  it.each([
    ['empty', '', 'not Base64'],
    ['cut off', 'AAAA', 'these are 3 bytes instead of 32'],
  ])('prevents startup if it is %s', (_, text, reason) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'seal.key'), text);

    expect(problemsOf(() => openSealer(unset, outside(folder), random))).toEqual([
      [`The seal key in ${join(folder, 'seal.key')} cannot be used`, [['Reason', reason]]],
    ]);
  });

  it.runIf(existsSync('/proc/self'))('stops the start where its folder cannot be made', () => {
    const folder = '/proc/no-such-folder/data';

    expect(problemsOf(() => openSealer(unset, outside(folder), random))).toEqual([
      [`The seal key in ${join(folder, 'seal.key')} cannot be used`, [['Reason', 'ENOENT']]],
    ]);
  });

  it('prevents startup if it cannot be read', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'seal.key'));

    expect(problemsOf(() => openSealer(unset, outside(folder), random))).toEqual([
      [`The seal key in ${join(folder, 'seal.key')} cannot be used`, [['Reason', 'EISDIR']]],
    ]);
  });
});

function problemsOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return (error as ConfigurationFailure).problems.map(({ what, facts }) => [what, facts]);
  }
}
