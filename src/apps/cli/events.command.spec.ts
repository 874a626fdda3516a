import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Account } from '../../identity/account/account.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Verification } from '../../identity/events/chain/chain-check.js';
import type { EventRow } from '../../identity/events/event-line.js';
import type { ListedDelivery } from '../webhook/webhook-deliveries.service.js';
import { addEventsCommand } from './events.command.js';

const EVENT = {
  ...{
    id: '0193',
    at: 1_800_000_000_000,
    kind: 'MFA_FAILED',
    result: 'refused',
    reason: 'wrong\u001b[2J',
    user_id: 's-1',
  },
  ...{ actor: null, ip: '192.0.2.1', agent: null, request_id: null, idp: null, authn_context: null, amr: null },
  detail: null,
} satisfies EventRow;

const HOW_TO = fileURLToPath(new URL('../../../docs/how-to/', import.meta.url));
const PAGES = readdirSync(HOW_TO, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(HOW_TO + name, 'utf8'))
  .join('\n');
/** Arguments without placeholders of the searches that operators are told to run. */
const EXAMPLES = Array.from(PAGES.matchAll(/cli events search([^`\n]*)/g), ([, args = '']) => args).filter(
  (args) => !args.includes('<'),
);

interface Outcome {
  readonly code: number | undefined;
  readonly printed: readonly string[];
  readonly errors: readonly string[];
  readonly calls: readonly unknown[];
}

const DEAD: ListedDelivery = {
  ...{ id: '0193', kind: 'MFA_LOCKED', queue: 's-1', state: 'dead', attempts: 7, failure: '410' },
  ...{ next_at: 0, created_at: 1_800_000_000 },
};
const HASH = 'h'.repeat(43);
const INTACT: Verification = { problems: [], batches: 3, events: 12, head: { batch: 7, hash: HASH }, deleted: 4 };

async function run(args: readonly string[], failure?: Error, verification = INTACT): Promise<Outcome> {
  const printed: string[] = [];
  const errors: string[] = [];
  const calls: unknown[] = [];
  let code: number | undefined;
  const call = <T>(name: string, given: unknown, answer: T): Promise<T> => {
    calls.push([name, given]);
    return failure ? Promise.reject(failure) : Promise.resolve(answer);
  };
  const parts = {
    open: () =>
      Promise.resolve({
        accounts: {
          findByLoginId: (id: string) => Promise.resolve(id === 'anna' ? ({ id: 's-1' } as Account) : undefined),
        },
        eventSearch: {
          search: (filter: object) => call('search', filter, [EVENT]),
          report: (period: object) => call('report', period, [{ kind: 'MFA_OK', result: 'ok', events: 12 } as const]),
          reasons: (period: object) => call('reasons', period, [{ reason: 'totp\u2028', firstAt: 7 }]),
        },
        eventVerification: { verify: (options: object) => call('verify', options, verification) },
        eventExports: {
          export: (...given: readonly unknown[]) => call('export', given, Readable.from(['a\n', 'b\n'])),
        },
        webhookDeliveries: {
          list: (...given: readonly unknown[]) => call('list', given, [DEAD]),
          counts: () => Promise.resolve({ pending: 2, dead: 1 }),
        },
        resends: {
          webhook: (id?: string) => call('resend', id, id === 'unknown' ? 0 : 1),
        },
        close: () => Promise.resolve(void calls.push('closed')),
      }),
    actor: 'cli:root',
    output: new PassThrough().on('data', (text: Buffer) => void printed.push(text.toString())),
    print: (line: string) => void printed.push(line),
    printError: (line: string) => void errors.push(line),
  };
  const program = new Command().exitOverride().configureOutput({ writeErr: (text) => void errors.push(text) });
  addEventsCommand(program, parts, (given) => {
    code = given;
  });
  program.commands.forEach((each) => {
    each.commands.forEach((command) => {
      command.exitOverride().copyInheritedSettings(program);
      command.commands.forEach((inner) => inner.exitOverride().copyInheritedSettings(program));
    });
  });
  await program.parseAsync(['events', ...args], { from: 'user' });
  return { code, printed, errors, calls };
}

describe('events export', () => {
  const ACT = { actor: 'cli:root', authority: 'operator', reason: undefined };

  it('writes the events of the filter to its output', async () => {
    const { code, printed, calls } = await run(['export', '--format', 'csv', '--user', 'anna', '--kind', 'MFA_OK']);

    expect(code).toBe(0);
    expect(printed.join('')).toBe('a\nb\n');
    expect(calls).toEqual([['export', [{ user: 's-1', kind: 'MFA_OK' }, 'csv', ACT]], 'closed']);
  });

  it('writes a new file that only its owner may read, and overwrites none', async () => {
    const folder = temporaryFolder('export');
    const [fresh, existing] = [join(folder, 'fresh.jsonl'), join(folder, 'existing.jsonl')];
    writeFileSync(existing, 'kept');

    expect(await run(['export', '--out', fresh])).toMatchObject({ code: 0, printed: [`Wrote ${fresh}.`] });
    expect(readFileSync(fresh, 'utf8')).toBe('a\nb\n');
    expect((statSync(fresh).mode & 0o777).toString(8)).toBe('600');
    expect(await run(['export', '--out', existing])).toMatchObject({ code: 1, printed: [] });
    expect(readFileSync(existing, 'utf8')).toBe('kept');
  });
});

describe('the events commands', () => {
  it('search prints an event on a line that its content cannot forge', async () => {
    const { code, printed, calls } = await run(['search']);

    expect(code).toBe(0);
    expect(printed).toEqual([
      '2027-01-15T08:00:00.000Z  MFA_FAILED  refused  subject=s-1  reason=wrong\\u001b[2J  ip=192.0.2.1  id=0193',
    ]);
    expect(calls).toEqual([['search', { limit: 50, user: undefined }], 'closed']);
  });

  it('search passes its filters on, and names the next page', async () => {
    const times = ['--from', '2027-01-15', '--to', '2027-01-15T09:00:00+01:00'];
    const { printed, calls } = await run([
      ...['search', '--user', 'anna', '--kind', 'MFA_FAILED', '--after', '0195', '--limit', '1'],
      ...times,
    ]);

    expect(calls[0]).toEqual([
      'search',
      {
        ...{ user: 's-1', kind: 'MFA_FAILED', after: '0195', limit: 1 },
        ...{ from: 1_799_971_200_000, to: 1_800_000_000_000 },
      },
    ]);
    expect(printed.at(-1)).toBe('More events may follow: --after 0193');
  });

  it('search finds the events of a deleted user by subject', async () => {
    expect((await run(['search', '--subject', 's-9'])).calls[0]).toEqual(['search', { user: 's-9', limit: 50 }]);
  });

  it('search reports an unknown user', async () => {
    expect(await run(['search', '--user', 'nobody'])).toMatchObject({
      ...{ code: 4, printed: [], errors: ['Unknown user nobody.'], calls: ['closed'] },
    });
  });

  it('reasons prints each row as one line of JSON, with invisible characters escaped', async () => {
    const { code, printed, calls } = await run(['reasons', '--from', '2027-01-15T08:00Z']);

    expect([code, printed]).toEqual([0, ['{"reason":"totp\\u2028","firstAt":7}']]);
    expect(calls).toContainEqual(['reasons', { from: Date.UTC(2027, 0, 15, 8) }]);
  });

  it('report prints the number of events of each kind and result', async () => {
    const { code, printed } = await run(['report', '--from', '2027-01-15T08:00Z']);

    expect(code).toBe(0);
    expect(printed).toEqual(['MFA_OK                 ok       12']);
  });

  it('verify prints the number of batches and events, and the head that a later run can require', async () => {
    const { code, printed, calls } = await run(['verify', '--from', '2027-01-15', '--head', `6:${HASH}`]);

    expect(code).toBe(0);
    expect(printed).toEqual([
      'The chain of events is intact: 3 batches, 12 events. The retention has deleted the batches up to 4.',
      `Head: 7:${HASH}`,
    ]);
    expect(calls[0]).toEqual(['verify', { from: 1_799_971_200_000, known: { batch: 6, hash: HASH } }]);
  });

  it('L3: verify fails with all findings', async () => {
    const problems = ['Batch 2 is missing.', 'The head of the chain is missing.'];
    const { code, errors } = await run(['verify'], undefined, { ...INTACT, problems });

    expect(code).toBe(1);
    expect(errors).toEqual([
      'The chain of events is not intact:\n  Batch 2 is missing.\n  The head of the chain is missing.',
    ]);
  });

  it('webhook list prints the events that were given up, and the numbers of all', async () => {
    const { code, printed, calls } = await run(['webhook', 'list']);

    expect(code).toBe(0);
    expect(printed).toEqual([
      'MFA_LOCKED  subject=s-1  attempts=7  failure=410  since=2027-01-15T08:00:00.000Z  id=0193',
      '1 given up, 2 pending',
    ]);
    expect(calls[0]).toEqual(['list', ['dead', '', 50]]);
    expect((await run(['webhook', 'list', '--pending', '--after', '01'])).calls[0]).toEqual([
      'list',
      ['pending', '01', 50],
    ]);
  });

  it('webhook resend sends one event again, or all, and reports an unknown one', async () => {
    expect(await run(['webhook', 'resend', '0193'])).toMatchObject({ code: 0, printed: ['1 event is sent again.'] });
    expect((await run(['webhook', 'resend', '--all'])).calls[0]).toEqual(['resend', undefined]);
    expect(await run(['webhook', 'resend', 'unknown'])).toMatchObject({
      ...{ code: 4, errors: ['The webhook has given up no event unknown.'] },
    });
  });

  it.each([[[]], [['0193', '--all']]])('webhook resend rejects %j', async (args) => {
    await expect(run(['webhook', 'resend', ...args])).rejects.toMatchObject({ exitCode: 2 });
  });

  it('an unavailable database fails the command', async () => {
    expect(await run(['report'], new ServiceError('UNAVAILABLE'))).toMatchObject({
      ...{ code: 1, printed: [], errors: ['The database cannot be reached or is busy; try again.'] },
    });
  });

  it.each([
    ['--from', 'yesterday'],
    ['--from', '2027-02-31T25:00'],
    ['--from', '2027-02-31'],
    ['--to', '2027-02-29T08:00Z'],
    ['--to', '15.01.2027'],
    ['--limit', '0'],
    ['--limit', '201'],
    ['--kind', 'MFA'],
  ])('search rejects %s %s', async (option, value) => {
    await expect(run(['search', option, value])).rejects.toMatchObject({ code: 'commander.invalidArgument' });
  });

  it.each(EXAMPLES)('accepts the example of docs/how-to: search%s', async (example) => {
    const args = example.replace('$kind', EVENT.kind).trim().split(' ').filter(Boolean);

    expect(await run(['search', ...args])).toMatchObject({ code: 0, errors: [] });
  });
});
