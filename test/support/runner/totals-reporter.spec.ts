import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slowestFiles, type TimedFile } from './totals-reporter.js';

const FIXTURES = join(import.meta.dirname, '../fixtures/totals');
const VITEST = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs');

describe('totals of a test run', () => {
  it.each([
    ['passing', 0, ['1 passed, 0 failed']],
    ['failing', 1, ['1 passed, 1 failed']],
    ['unloadable', 1, ['0 passed, 1 failed']],
    ['unhandled', 1, ['1 passed, 1 failed']],
    ['unprepared', 1, ['0 passed, 1 failed, 1 skipped']],
    ['needy', 0, ['skipped, not on this machine: mariadb (2 tests)', '2 passed, 0 failed, 2 skipped']],
    ['nowhere', 1, ['0 passed, 1 failed']],
  ])('the last lines and the exit code report %s tests', (name, exitCode, lastLines) => {
    expect(run([name], lastLines.length)).toEqual({ exitCode, lastLines });
  });

  it('T1: a test is skipped, and its suite not prepared, if one of several servers is missing', () => {
    expect(run(['several'], 2)).toEqual({
      exitCode: 0,
      lastLines: ['skipped, not on this machine: mariadb (4 tests)', '0 passed, 0 failed, 4 skipped'],
    });
  });

  it('REQUIRE_SERVERS=1 counts skipped tests as failed', () => {
    expect(run(['needy'], 3, { REQUIRE_SERVERS: '1' })).toEqual({
      exitCode: 1,
      lastLines: [
        'skipped, not on this machine: mariadb (2 tests)',
        'REQUIRE_SERVERS=1: 2 tests skipped, which counts as failed',
        '2 passed, 2 failed',
      ],
    });
  });

  it('T1: with REQUIRE_SERVERS=1, only hidden servers and a filter of tags may leave tests out', () => {
    const required = { REQUIRE_SERVERS: '1' };

    expect(run(['needy'], 1, { ...required, HIDE_SERVERS: '1' }).lastLines).toEqual(['2 passed, 0 failed, 2 skipped']);
    expect(run(['needy', '--tags-filter=server'], 1, required).lastLines).toEqual(['1 passed, 2 failed, 1 skipped']);
  });

  it('the totals distinguish excluded servers from missing ones', () => {
    expect(run(['needy', '--tags-filter=!redis and !mariadb'], 3)).toEqual({
      exitCode: 0,
      lastLines: [
        'skipped, not on this machine: mariadb (2 tests)',
        'skipped, left out of this run: redis (1 test)',
        '1 passed, 0 failed, 3 skipped',
      ],
    });
  });
  it('slowestFiles lists the ten slowest files, slowest first, and no file under a second', () => {
    const fileOf = (index: number): TimedFile => ({ file: `test/${index}.spec.ts`, millis: index * 500 });

    const lines = slowestFiles(Array.from({ length: 14 }, (_, index) => fileOf(index)));

    expect(lines).toHaveLength(11);
    expect(lines.slice(0, 3)).toEqual(['slowest files:', '    6.5 s  test/13.spec.ts', '    6.0 s  test/12.spec.ts']);
    expect(lines.at(-1)).toBe('    2.0 s  test/4.spec.ts');
    expect(slowestFiles([fileOf(1)])).toEqual([]);
  });
});

function run(
  args: readonly string[],
  lines: number,
  env: Readonly<Record<string, string>> = {},
): { exitCode: number | null; lastLines: readonly string[] } {
  const { status, stdout } = spawnSync(process.execPath, [VITEST, 'run', '--no-color', ...args], {
    cwd: FIXTURES,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
  });
  return { exitCode: status, lastLines: stdout.trimEnd().split('\n').slice(-lines) };
}
