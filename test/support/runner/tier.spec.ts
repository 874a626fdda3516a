import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { membersOf } from './tier.js';

const ROOT = join(import.meta.dirname, '../../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const isEven = (number: number): boolean => number % 2 === 0;

describe('membersOf', () => {
  it('membersOf returns the whole family in the tier full, and the members that represent it otherwise', () => {
    expect(membersOf([1, 2, 3], isEven, true)).toEqual([1, 2, 3]);
    expect(membersOf([1, 2, 3], isEven, false)).toEqual([2]);
  });

  it('membersOf rejects a family without a member that represents it', () => {
    expect(() => membersOf([1, 3], isEven, false)).toThrow('no member represents this family of tests');
    expect(membersOf([], isEven, false)).toEqual([]);
  });
});

it('the Vitest mode full is the tier full, in which a test repeats its experiment more often', () => {
  expect(titlesOf('--mode=full')).toContain('loses no unused one, 15 times');
  expect(titlesOf()).toContain('loses no unused one, 4 times');
});

function titlesOf(...args: readonly string[]): string {
  const list = [VITEST, 'list', '--no-static-parse', 'test/apps/server/kill.chaos-spec.ts', ...args];
  return spawnSync(process.execPath, list, { cwd: ROOT, encoding: 'utf8' }).stdout;
}
