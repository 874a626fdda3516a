import { describe, expect, it } from 'vitest';
import type { AccountChanges } from '../../identity/account/account-changes.service.js';
import type { Accounts } from '../../identity/account/accounts.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { SecurityEvents } from '../../identity/events/security-events.service.js';
import type { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { commandReason } from '../../kernel/principal/command-context.js';
import type { PasswordChanges } from '../../identity/account/password/passwords.service.js';
import type { AttemptBudget } from '../../identity/second-factor/attempts/attempt-budget.service.js';
import type { AccountAccess } from './account-access.service.js';
import { AccountAdministration } from './account-administration.service.js';
import { AdminActs } from './admin-acts.service.js';
import type { ProtectedRoles } from './protected-roles.service.js';

const ACT = { actor: 'subject-of-admin', authority: 'administrator', reason: 'ticket 7' } as const;

const UNHEARD = { recordAlone: () => Promise.resolve() } as unknown as SecurityEvents;

/** Services that record their calls, with the transaction they ran in and the reason of the act. */
function situation(failure?: Error) {
  const calls: (readonly unknown[])[] = [];
  let transactions = 0;
  const recorder = (): unknown =>
    new Proxy(
      {},
      {
        get:
          (_target, name) =>
          (...args: readonly unknown[]): Promise<unknown> => {
            if (name === 'unlock' || name === 'resetMfa') {
              const admit = args[2] as (tx: string) => Promise<unknown>;
              calls.push([name, ...args.slice(0, 2), commandReason()]);
              return admit('tx 1');
            }
            calls.push([name, ...args, commandReason()]);
            if (failure && name === 'setStatus') return Promise.reject(failure);
            if (name === 'hold') return Promise.resolve({ roles: ['ROLE_A'] });
            if (name === 'readyTemporary')
              return Promise.resolve({ hash: 'h', ...(args[1] === undefined && { generated: 'g' }) });
            return Promise.resolve(name === 'reset' ? 1_800_000_000 : undefined);
          },
      },
    );
  const run = (work: (tx: unknown) => unknown): unknown => work(`tx ${(transactions += 1)}`);
  const changes = recorder() as AccountChanges;
  const administration = new AccountAdministration(
    changes,
    recorder() as PasswordChanges,
    recorder() as AccountAccess,
    recorder() as AttemptBudget,
    new AdminActs(
      { find: () => Promise.resolve(undefined) } as unknown as Accounts,
      UNHEARD,
      { run } as unknown as UnitOfWork,
      changes,
      { names: ['ROLE_ADMIN'] } as unknown as ProtectedRoles,
    ),
  );
  return { administration, calls };
}

describe('AccountAdministration', () => {
  it.each([
    [
      'disable',
      [],
      [
        ['setStatus', 'tx 1', 'anna', 'disabled', ACT.actor],
        ['endAllOfDisabled', 'tx 1', 'anna'],
      ],
    ],
    [
      'setRoles',
      [['ROLE_A']],
      [
        ['change', 'tx 1', 'anna', { roles: ['ROLE_A'] }, ACT.actor],
        ['endAll', 'tx 1', 'anna'],
      ],
    ],
    [
      'delete',
      [],
      [
        ['delete', 'tx 1', 'anna', ACT.actor],
        ['endAllOfDeleted', 'tx 1', 'anna'],
      ],
    ],
    ['enable', [], [['setStatus', 'tx 1', 'anna', 'active', ACT.actor]]],
    ['requireMfa', [true], [['change', 'tx 1', 'anna', { mfaRequired: true }, ACT.actor]]],
    ['removeAuthenticator', ['authenticator'], [['removeAuthenticator', 'tx 1', 'anna', 'authenticator', ACT.actor]]],
    ['unlock', [], [['unlock', 'anna', ACT.actor]]],
    ['resetMfa', [], [['resetMfa', 'anna', ACT.actor]]],
  ] as const)('%s makes all its changes in one transaction and passes on its reason', async (name, args, expected) => {
    const { administration, calls } = situation();
    const act = administration[name].bind(administration) as (...all: readonly unknown[]) => Promise<unknown>;

    await act('anna', ...args, ACT);

    expect(calls.filter(([method]) => method !== 'hold')).toEqual(expected.map((call) => [...call, ACT.reason]));
    expect(calls.filter(([method]) => method === 'hold')).toEqual([['hold', 'tx 1', 'anna', [], ACT.reason]]);
  });

  it('a rejected change does not end access', async () => {
    const { administration, calls } = situation(new ServiceError('CONFLICT', { reason: 'last administrator' }));

    await expect(administration.disable('anna', ACT)).rejects.toThrow(ServiceError);
    expect(calls.map(([method]) => method)).toEqual(['hold', 'setStatus']);
  });

  it('a reset ends all access and returns the password only if it was generated', async () => {
    const { administration, calls } = situation();

    const random = await administration.resetPassword('anna', undefined, ACT);
    const chosen = await administration.resetPassword('anna', 'kettle orbit', {
      actor: 'cli:root',
      authority: 'operator',
    });

    expect(random).toEqual({ generated: 'g', expiresAt: 1_800_000_000 });
    expect(chosen).toEqual({ expiresAt: 1_800_000_000 });
    expect(calls.filter(([method]) => method !== 'hold')).toEqual([
      ['readyTemporary', 'anna', undefined, ACT.reason],
      ['reset', 'tx 1', 'anna', { hash: 'h', generated: 'g' }, ACT.actor, ACT.reason],
      ['endAll', 'tx 1', 'anna', ACT.reason],
      ['readyTemporary', 'anna', 'kettle orbit', undefined],
      ['reset', 'tx 2', 'anna', { hash: 'h' }, 'cli:root', undefined],
      ['endAll', 'tx 2', 'anna', undefined],
    ]);
  });

  const HELP_DESK = { actor: 'subject-of-desk', authority: 'help desk', reason: 'lost phone', ticket: 'HD-1' } as const;

  it('the help desk unlocks, removes authenticators and resets the second factor of accounts without a protected role only', async () => {
    const { administration, calls } = situation();

    await administration.unlock('anna', HELP_DESK);
    await administration.resetMfa('anna', HELP_DESK);
    await administration.removeAuthenticator('anna', 'authenticator', HELP_DESK);

    expect(calls.filter(([method]) => method === 'hold')).toEqual([
      ['hold', 'tx 1', 'anna', ['ROLE_ADMIN'], HELP_DESK.reason],
      ['hold', 'tx 1', 'anna', ['ROLE_ADMIN'], HELP_DESK.reason],
      ['hold', 'tx 1', 'anna', ['ROLE_ADMIN'], HELP_DESK.reason],
    ]);
  });

  it.each([
    ['resetPassword', [undefined]],
    ['disable', []],
    ['enable', []],
    ['setRoles', [['ROLE_A']]],
    ['requireMfa', [true]],
    ['update', [{ email: 'a@example.org' }]],
    ['endSession', ['sid']],
    ['endSessions', []],
    ['endTrust', ['device']],
    ['delete', []],
  ] as const)('the help desk may not call %s', async (name, args) => {
    const { administration, calls } = situation();
    const act = administration[name].bind(administration) as (...all: readonly unknown[]) => Promise<unknown>;

    await expect(act('anna', ...args, HELP_DESK)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    expect(calls).toEqual([]);
  });

  it.each([
    ['without a reason', { reason: undefined }, 'reason', 'required'],
    ['without a ticket', { ticket: undefined }, 'ticket', 'required'],
    ['with an empty reason', { reason: ' \n ' }, 'reason', 'format'],
    ['with a reason of 201 characters', { reason: 'x'.repeat(201) }, 'reason', 'format'],
    ['with a sentence as ticket', { ticket: 'my ticket' }, 'ticket', 'format'],
    ['with a ticket of 65 characters', { ticket: 'x'.repeat(65) }, 'ticket', 'format'],
  ])('the help desk may not act %s', async (_, justification, field, code) => {
    const { administration, calls } = situation();

    await expect(administration.unlock('anna', { ...HELP_DESK, ...justification })).rejects.toMatchObject({
      facts: { errors: [{ field, code }] },
    });
    expect(calls).toEqual([]);
  });

  it.each([
    ['administrator', 'resetMfa', false],
    ['administrator', 'unlock', true],
    ['operator', 'resetMfa', true],
  ] as const)('an %s may call %s without a reason: %s', async (authority, name, isAccepted) => {
    const { administration } = situation();
    const result = administration[name]('anna', { actor: 'other', authority }).then(
      () => true,
      () => false,
    );

    expect(await result).toBe(isAccepted);
  });

  it.each([
    ['unlock', []],
    ['resetMfa', []],
    ['removeAuthenticator', ['authenticator']],
    ['resetPassword', [undefined]],
  ] as const)('no administrator may call %s on the own account', async (name, args) => {
    const { administration, calls } = situation();
    const act = administration[name].bind(administration) as (...all: readonly unknown[]) => Promise<unknown>;

    await expect(act(ACT.actor, ...args, ACT)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(calls).toEqual([]);
  });

  it.each(['', 'subject-of-admin ', "' OR 1=1 --", 'x'.repeat(10_000), 'a\0b', '../anna'])(
    'H4: %j is no subject, although a database may find an account by it',
    async (subject) => {
      const { administration, calls } = situation();

      await expect(administration.delete(subject, ACT)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(calls).toEqual([]);
    },
  );

  it.each([
    ['other roles', { roles: ['ROLE_B'] }, ['endAll']],
    ['the same roles', { roles: ['ROLE_A'] }, []],
    ['the status disabled', { status: 'disabled' }, ['endAllOfDisabled']],
    ['the status active', { status: 'active' }, []],
    ['another mail address', { email: 'a@example.org' }, []],
  ] as const)('an update to %s ends access by the calls %j', async (_, change, ends) => {
    const { administration, calls } = situation();

    await administration.update('anna', change, ACT);

    expect(calls.map(([method]) => String(method)).filter((method) => method.startsWith('end'))).toEqual(ends);
  });
});
