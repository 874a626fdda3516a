import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/service.js';
import { storyOn } from '../support/login-story.js';
import { onSqlite } from '../support/story-database.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

describe('A8: the exit code of a command tells', () => {
  it.each([
    ['0 for help', ['--help'], 0],
    ['0 for help about one command', ['users', 'unlock', '--help'], 0],
    ['2 for no command', [], 2],
    ['2 for a group without a command', ['users'], 2],
    ['2 for an unknown command', ['frobnicate'], 2],
    ['2 for an unknown sub-command', ['keys', 'frobnicate'], 2],
    ['2 for an unknown option', ['users', 'unlock', 'anna', '--frobnicate'], 2],
    ['2 for a missing argument', ['users', 'unlock'], 2],
    ['3 for a configuration that cannot be used', ['users', 'unlock', 'anna', '--server.port=abc'], 3],
    ['3 for faults that config check finds', ['config', 'check', '--server.port=abc'], 3],
    ['4 for an unknown key', ['config', 'get', 'zzzz.yyyy'], 4],
    ['4 for an unknown identity provider', ['saml', 'check', 'corp'], 4],
  ])('%s', async (_, args, code) => {
    const { exitCode, stdout, stderr } = await runCli(args);

    expect(exitCode, stdout + stderr).toBe(code);
    expect(stdout + stderr).not.toMatch(/^\s+at /m);
  });
});

describe('A8: the command line', () => {
  it('C7: writes all of its output, also to a pipe whose reader is slower', async () => {
    const { stdout } = await runCli(['config', 'docs']);
    const pipe = '"$0" "$1" config docs | dd bs=512 status=none';

    const read = await promisify(execFile)('sh', ['-c', pipe, process.execPath, CLI]);

    // More than a pipe holds.
    expect(read.stdout.length).toBeGreaterThan(65_536);
    expect(read.stdout).toBe(stdout);
  });

  it('prints its version', async () => {
    const { exitCode, stdout } = await runCli(['--version']);

    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  it.each([
    [['frobnicate'], /config, users, keys, saml/],
    [['users', 'unlok', 'anna'], /Did you mean unlock\?[^]*add, admit, list, show, import, [^]*unlock/],
    [['keys', 'frobnicate'], /list, rotate, retire, rekey/],
  ])('lists the known commands beside an unknown one: %j', async (args, known) => {
    expect((await runCli(args)).stderr).toMatch(known);
  });

  it('explains its exit codes', async () => {
    expect((await runCli(['--help'])).stdout).toMatch(/Exit codes:[^]*0[^]*1[^]*2[^]*3[^]*4/);
  });
});

onSqlite('A8: the exit code on a database', (engine) => {
  const story = storyOn(engine, { people: 1 });

  it.each([
    ['4 for an unknown user', ['users', 'unlock', 'bert'], 4],
    ['4 for an unknown key', ['keys', 'retire', 'bert'], 4],
    ['4 for an unknown identity provider', ['users', 'admit', '--idp', 'corp', '--person', 'x'], 4],
    ['1 for a login id that is taken', ['users', 'add', 'person-1'], 1],
    ['0 for what was done', ['users', 'add', 'carla'], 0],
  ])('is %s', async (_, args, code) => {
    const { exitCode, stdout, stderr } = await story.command(...args);

    expect(exitCode, stdout + stderr).toBe(code);
  });
});
