import { describe, expect, it } from 'vitest';
import type { AccountChanges } from '../account/account-changes.service.js';
import { ServiceError } from '../errors/service-error.js';
import type { UnitOfWork } from '../persistence/unit-of-work.js';
import { commandReason } from '../principal/command-context.js';
import type { PasswordChanges } from '../account/password/passwords.service.js';
import type { AttemptBudget } from '../second-factor/attempts/attempt-budget.service.js';
import type { AccountAccess } from './account-access.service.js';
import { AccountAdministration } from './account-administration.service.js';

const ACT = { actor: 'subject-of-admin', reason: 'ticket 7' };

/** Services that record their calls, with the transaction they ran in and the reason of the act. */
function situation(failure?: Error) {
  const calls: unknown[] = [];
  let transactions = 0;
  const recorder = (): unknown =>
    new Proxy(
      {},
      {
        get:
          (_target, name) =>
          (...args: readonly unknown[]): Promise<unknown> => {
            calls.push([name, ...args, commandReason()]);
            if (failure && name === 'setStatus') return Promise.reject(failure);
            if (name === 'readyTemporary')
              return Promise.resolve({ hash: 'h', ...(args[1] === undefined && { generated: 'g' }) });
            return Promise.resolve(name === 'reset' ? 1_800_000_000 : undefined);
          },
      },
    );
  const run = (work: (tx: unknown) => unknown): unknown => work(`tx ${(transactions += 1)}`);
  const administration = new AccountAdministration(
    { run } as unknown as UnitOfWork,
    recorder() as AccountChanges,
    recorder() as PasswordChanges,
    recorder() as AccountAccess,
    recorder() as AttemptBudget,
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
        ['endAll', 'tx 1', 'anna'],
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
        ['endAll', 'tx 1', 'anna'],
        ['forget', 'tx 1', 'anna'],
      ],
    ],
    ['enable', [], [['setStatus', 'tx 1', 'anna', 'active', ACT.actor]]],
    ['requireMfa', [true], [['change', 'tx 1', 'anna', { mfaRequired: true }, ACT.actor]]],
    ['unlock', [], [['unlock', 'anna', ACT.actor]]],
    ['resetMfa', [], [['resetMfa', 'anna', ACT.actor]]],
  ] as const)('%s makes all its changes in one transaction and passes on its reason', async (name, args, expected) => {
    const { administration, calls } = situation();
    const act = administration[name].bind(administration) as (...all: readonly unknown[]) => Promise<unknown>;

    await act('anna', ...args, ACT);

    expect(calls).toEqual(expected.map((call) => [...call, ACT.reason]));
  });

  it('a rejected change does not end access', async () => {
    const { administration, calls } = situation(new ServiceError('CONFLICT', { reason: 'last administrator' }));

    await expect(administration.disable('anna', ACT)).rejects.toThrow(ServiceError);
    expect(calls).toHaveLength(1);
  });

  it('a reset ends all access and returns the password only if it was generated', async () => {
    const { administration, calls } = situation();

    const random = await administration.resetPassword('anna', undefined, ACT);
    const given = await administration.resetPassword('anna', 'kettle orbit', { actor: 'cli:root' });

    expect(random).toEqual({ generated: 'g', expiresAt: 1_800_000_000 });
    expect(given).toEqual({ expiresAt: 1_800_000_000 });
    expect(calls).toEqual([
      ['readyTemporary', 'anna', undefined, ACT.reason],
      ['reset', 'tx 1', 'anna', { hash: 'h', generated: 'g' }, ACT.actor, ACT.reason],
      ['endAll', 'tx 1', 'anna', ACT.reason],
      ['readyTemporary', 'anna', 'kettle orbit', undefined],
      ['reset', 'tx 2', 'anna', { hash: 'h' }, 'cli:root', undefined],
      ['endAll', 'tx 2', 'anna', undefined],
    ]);
  });
});
