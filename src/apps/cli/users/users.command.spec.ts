import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../identity/account/account.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { addUsersCommand } from './users.command.js';
import type { UsersServices } from './users-services.command.js';

interface Outcome {
  readonly code: number | undefined;
  readonly printed: readonly string[];
  readonly errors: readonly string[];
  readonly calls: readonly unknown[];
}

const ACT = { actor: 'cli', authority: 'operator' };

const ANNA: Account = {
  id: 'subject-of-anna',
  loginId: 'anna',
  kind: 'local',
  status: 'active',
  roles: [],
  mfaRequired: false,
  enrolmentForced: false,
  totpCount: 0,
  passkeyCount: 0,
  securityStamp: 0,
  hasPassword: true,
  passwordVersion: 0,
  emailVersion: 0,
  emailVerified: false,
  groups: [],
  createdAt: 1_800_000_000,
};

describe('the users commands', () => {
  it('add creates a user with the password from the first line of the input', async () => {
    const outcome = await run(
      [
        ...['add', 'anna', '--password-stdin', '--roles', 'ROLE_A,ROLE_B', '--groups', 'a b, c', '--name', 'Anna Ax'],
        ...['--email', 'a@example.org', '--email-verified'],
      ],
      { input: ' kettle orbit \r\nsecond line' },
    );

    expect(outcome).toMatchObject({ code: 0, printed: ['Created user anna.'], errors: [] });
    expect(outcome.calls).toEqual([
      [
        'create',
        {
          ...{ loginId: 'anna', password: ' kettle orbit ', roles: ['ROLE_A', 'ROLE_B'] },
          ...{ displayName: 'Anna Ax', groups: ['a b', 'c'], email: 'a@example.org', emailVerified: true },
        },
        ACT,
      ],
      'closed',
    ]);
  });

  it('add prints a random password if none is given', async () => {
    const outcome = await run(['add', 'anna']);

    expect(outcome).toMatchObject({
      code: 0,
      printed: ['Created user anna. The password is shown only once: random-one'],
    });
  });

  it.each([
    ['VALIDATION_FAILED', { errors: [{ field: 'pw', code: 'too_common' }] }, /most common/],
    ['VALIDATION_FAILED', { errors: [{ field: 'id', code: 'malformed' }] }, /login id has/],
    ['CONFLICT', { reason: 'login id taken' }, /already/],
    ['CONFLICT', { reason: 'the file changed while it was read' }, /file changed/],
    ['CONFLICT', { reason: 'oneself' }, /^The command was rejected\.$/],
    ['UNAVAILABLE', { reason: 'database unreachable' }, /cannot be reached/],
  ] as const)('add explains the failure (%s)', async (code, facts, sentence) => {
    const outcome = await run(['add', 'anna'], { failure: new ServiceError(code, facts) });

    expect(outcome).toMatchObject({ code: 1, printed: [] });
    expect(outcome.errors.join('\n')).toMatch(sentence);
    expect(outcome.calls).toContain('closed');
  });

  it.each([
    ['unlock', [['unlock', ANNA.id, ACT]]],
    ['reset-mfa', [['resetMfa', ANNA.id, ACT]]],
    ['disable', [['disable', ANNA.id, ACT]]],
    ['require-mfa', [['requireMfa', ANNA.id, true, ACT]]],
    ['enable', [['enable', ANNA.id, ACT]]],
  ])('%s acts on the user of the login id', async (command, calls) => {
    const outcome = await run([command, 'Anna']);

    expect(outcome.code).toBe(0);
    expect(outcome.printed[0]).toMatch(/^anna: /);
    expect(outcome.calls).toEqual([...calls, 'closed']);
  });

  it.each([
    [['--name', 'Anna Ax'], { displayName: 'Anna Ax' }],
    [
      ['--groups', 'a b,c', '--email', 'a@example.org', '--email-verified'],
      { groups: ['a b', 'c'], email: 'a@example.org', emailVerified: true },
    ],
    [['--name', '', '--groups', '', '--email', ''], { displayName: null, groups: [], email: null }],
  ])('set-profile changes what its options name alone (%j)', async (options, change) => {
    const outcome = await run(['set-profile', 'anna', ...options]);

    expect(outcome).toMatchObject({ code: 0, printed: ['anna: changed the profile.'] });
    expect(outcome.calls).toEqual([['update', ANNA.id, change, ACT], 'closed']);
  });

  it('disable reports the last administrator, and unlock an unknown user', async () => {
    const last = await run(['disable', 'anna'], {
      failure: new ServiceError('CONFLICT', { reason: 'last administrator' }),
    });
    expect(last).toMatchObject({ code: 1, errors: ['This is the last administrator.'] });

    const unknown = await run(['unlock', 'nobody']);
    expect(unknown).toMatchObject({ code: 4, errors: ['Unknown user nobody.'], calls: ['closed'] });
  });

  it('import reports errors row by row', async () => {
    const errors = [{ line: 3, field: 'login_id', code: 'taken' }] as const;
    const file = join(temporaryFolder(), 'users.csv');
    writeFileSync(file, '');

    expect(await run(['import', file])).toMatchObject({ code: 0, printed: ['Created 2 users.'] });
    expect(await run(['import', file], { report: { created: 0, errors, errorsTotal: 1 } })).toMatchObject({
      code: 1,
      printed: ['line 3: login_id taken'],
      errors: ['Created 0 users. Nothing was changed: correct the file, or use --partial.'],
    });
    expect(await run(['import', '--partial', file], { report: { created: 1, errors, errorsTotal: 1 } })).toMatchObject({
      code: 1,
      errors: ['Created 1 user. The rows above were skipped.'],
    });
  });

  it('import prints at most a hundred rows and the number of the others', async () => {
    const file = join(temporaryFolder(), 'users.jsonl');
    writeFileSync(file, '');
    const errors = Array.from(
      { length: 1000 },
      (_, index) => ({ line: index + 1, field: '', code: 'format' }) as const,
    );

    const { printed } = await run(['import', file], { report: { created: 0, errors, errorsTotal: 2500 } });

    expect(printed).toHaveLength(101);
    expect([printed[0], printed.at(-1)]).toEqual(['line 1: format', 'and 2400 more']);
  });

  it('import reports a file that cannot be read', async () => {
    const missing = join(temporaryFolder(), 'users.csv');
    const file = join(temporaryFolder(), 'users.csv');
    writeFileSync(file, '');
    const failure = Object.assign(new Error('no'), { code: 'EACCES', syscall: 'open' });

    expect(await run(['import', missing])).toEqual({
      code: 1,
      printed: [],
      errors: ['The file cannot be read (ENOENT).'],
      calls: ['closed'],
    });
    expect(await run(['import', file], { failure })).toMatchObject({
      code: 1,
      errors: ['The file cannot be read (EACCES).'],
    });
  });

  it('import without --partial accepts only a file that can be read twice', async () => {
    const rejected = {
      code: 1,
      printed: [],
      errors: ['Without --partial only a regular file can be imported.'],
      calls: ['closed'],
    };

    expect(await run(['import', '/dev/null'])).toEqual(rejected);
    expect(await run(['import', temporaryFolder()])).toEqual(rejected);
    expect(await run(['import', '--partial', '/dev/null'])).toMatchObject({ code: 0, calls: [['import'], 'closed'] });
  });
});

interface Situation {
  readonly input?: string;
  readonly failure?: Error;
  readonly report?: Awaited<ReturnType<UsersServices['bulkProvisioning']['import']>>;
}

async function run(args: readonly string[], { input = '', failure, report }: Situation = {}): Promise<Outcome> {
  const printed: string[] = [];
  const errors: string[] = [];
  const calls: unknown[] = [];
  let code: number | undefined;
  const called = <T>(answer: T, ...call: readonly unknown[]): Promise<T> => {
    if (failure) return Promise.reject(failure);
    calls.push(call);
    return Promise.resolve(answer);
  };
  const services = {
    accounts: { findByLoginId: (id: string) => Promise.resolve(id.toLowerCase() === 'anna' ? ANNA : undefined) },
    provisioning: {
      create: (draft: { readonly password?: string }, act: unknown) =>
        called(
          { account: ANNA, ...(draft.password === undefined && { generated: 'random-one' }) },
          'create',
          draft,
          act,
        ),
    },
    bulkProvisioning: {
      import: () => called(report ?? { created: 2, errors: [], errorsTotal: 0 }, 'import'),
    },
    administration: Object.fromEntries(
      ['unlock', 'resetMfa', 'disable', 'enable', 'requireMfa', 'update'].map((name) => [
        name,
        (...rest: readonly unknown[]) => called(undefined, name, ...rest),
      ]),
    ),
    close: () => {
      calls.push('closed');
      return Promise.resolve();
    },
  } as unknown as UsersServices;
  const program = new Command('cli').exitOverride();
  addUsersCommand(
    program,
    {
      open: () => Promise.resolve(services),
      actor: 'cli',
      input: Readable.from([input]),
      output: new PassThrough(),
      print: (line) => printed.push(line),
      printError: (line) => errors.push(line),
    },
    (exitCode) => (code = exitCode),
  );
  await program.parseAsync(['users', ...args], { from: 'user' });
  return { code, printed, errors, calls };
}
