import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FIXTURES = join(import.meta.dirname, '../fixtures/draws');
const ROOT = join(import.meta.dirname, '../../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

describe('cases of a property', () => {
  it('H7: properties use the same cases in every run, with or without CI', () => {
    expect(drawnWith({})).toMatch(/^drawn: 5, last: \d+$/);
    expect(drawnWith({ CI: 'true' })).toBe(drawnWith({}));
  });

  it('H7: an exploring run uses more cases, which depend on its seed', () => {
    const explored = drawnWith({ EXPLORE_SEED: '286452493', EXPLORE_FACTOR: '30' });

    expect(explored).toMatch(/^drawn: 150, last: \d+$/);
    expect(explored).toBe(drawnWith({ EXPLORE_SEED: '286452493', EXPLORE_FACTOR: '30' }));
    expect(explored).not.toBe(drawnWith({ EXPLORE_SEED: '1', EXPLORE_FACTOR: '30' }));
  });
});

describe('npm run test:explore', () => {
  it('H7: npm run test:explore uses and prints the seed of an earlier run', () => {
    const explored = explore('--seed=286452493', 'test/kernel/encoding/base32.vectors.spec.ts');

    expect(explored.stdout).toContain('30 times the usual cases, seed 286452493.');
    expect(explored.stdout).toMatch(/\d passed, 0 failed/);
    expect(explored.status).toBe(0);
  });

  it('H7: npm run test:explore rejects a seed that is not a number', () => {
    expect(explore('--seed=x')).toMatchObject({ status: 2, stderr: expect.stringContaining('--seed') as unknown });
  });
});

function drawnWith(env: Readonly<Record<string, string>>): string | undefined {
  const { stdout } = spawnSync(process.execPath, [VITEST, 'run', '--no-color'], {
    cwd: FIXTURES,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
  });
  return /^drawn: .*$/m.exec(stdout)?.[0];
}

function explore(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(ROOT, 'tools/explore.mjs'), ...args], { cwd: ROOT, encoding: 'utf8' });
}
