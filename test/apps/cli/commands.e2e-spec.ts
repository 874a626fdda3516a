import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

describe('A8: exit codes without a database', () => {
  it.each([
    ['0 for help', ['--help'], 0],
    ['0 for help about one command', ['users', 'unlock', '--help'], 0],
    ['2 for no command', [], 2],
    ['2 for a group without a command', ['users'], 2],
    ['2 for an unknown command', ['frobnicate'], 2],
    ['2 for an unknown sub-command', ['keys', 'frobnicate'], 2],
    ['2 for an unknown option', ['users', 'unlock', 'anna', '--frobnicate'], 2],
    ['2 for a missing argument', ['users', 'unlock'], 2],
    ['3 for an invalid configuration', ['users', 'unlock', 'anna', '--server.port=abc'], 3],
    ['3 for an invalid value in config check', ['config', 'check', '--server.port=abc'], 3],
    ['4 for an unknown key', ['config', 'get', 'zzzz.yyyy'], 4],
    ['4 for an unknown identity provider', ['saml', 'check', 'corp'], 4],
  ])('A8: the exit code is %s', async (_, args, code) => {
    const { exitCode, stdout, stderr } = await runCli(args);

    expect(exitCode, stdout + stderr).toBe(code);
    expect(stdout + stderr).not.toMatch(/^\s+at /m);
  });
});

describe('A8: command line', () => {
  it('C7: a command writes all of its output to a pipe with a slow reader', async () => {
    const { stdout } = await runCli(['config', 'docs']);
    const pipe = '"$0" "$1" config docs | dd bs=512 status=none';

    const read = await promisify(execFile)('sh', ['-c', pipe, process.execPath, CLI]);

    // More than a pipe holds.
    expect(read.stdout.length).toBeGreaterThan(65_536);
    expect(read.stdout).toBe(stdout);
  });

  it('config docs --output writes each page of the reference to a file', async () => {
    const folder = join(temporaryFolder('reference'), 'new');
    const { stdout } = await runCli(['config', 'docs']);

    const { exitCode } = await runCli(['config', 'docs', '--output', folder]);

    expect(exitCode).toBe(0);
    const pages = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').trimEnd());
    expect(pages.length).toBeGreaterThan(20);
    for (const page of pages) expect(stdout).toContain(page);
  });

  it('--version prints the version and exits with 0', async () => {
    const { exitCode, stdout } = await runCli(['--version']);

    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  it.each([
    [['frobnicate'], /config, users, keys, saml/],
    [
      ['users', 'unlok', 'anna'],
      /Did you mean unlock\?[^]*add, invite, admit, list, show, sessions, export, import, [^]*unlock/,
    ],
    [['keys', 'frobnicate'], /list, rotate, retire, rekey/],
  ])('the error for an unknown command lists the known ones: %j', async (args, known) => {
    expect((await runCli(args)).stderr).toMatch(known);
  });

  it('--help explains the exit codes', async () => {
    expect((await runCli(['--help'])).stdout).toMatch(/Exit codes:[^]*0[^]*1[^]*2[^]*3[^]*4/);
  });
});

onSqlite('A8: exit codes of commands on a database', (engine) => {
  const story = storyOn(engine, { people: 1 });

  it.each([
    ['4 for an unknown user', ['users', 'unlock', 'bert'], 4],
    ['4 for an unknown key', ['keys', 'retire', 'bert'], 4],
    ['4 for an unknown identity provider', ['users', 'admit', '--idp', 'corp', '--person', 'x'], 4],
    ['1 for an existing login id', ['users', 'add', 'person-1'], 1],
    ['0 for a command that succeeded', ['users', 'add', 'carla'], 0],
  ])('A8: the exit code on a database is %s', async (_, args, code) => {
    const { exitCode, stdout, stderr } = await story.command(...args);

    expect(exitCode, stdout + stderr).toBe(code);
  });
});
