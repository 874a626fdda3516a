import { expect, it } from 'vitest';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { EventGroups } from './event-groups.js';
import type { EventRow } from './event-line.js';

const row = (id: string): EventRow => ({ id }) as EventRow;

/** Statements that end when the test says so. */
function heldStatements(): {
  readonly statements: string[];
  readonly insert: (rows: readonly EventRow[]) => Promise<void>;
  readonly next: () => Promise<void>;
} {
  const statements: string[] = [];
  const ends: (() => void)[] = [];
  return {
    statements,
    insert: (rows) =>
      new Promise((resolve) => {
        statements.push(rows.map(({ id }) => id).join(' '));
        ends.push(resolve);
      }),
    next: async () => {
      await expect.poll(() => ends.length).toBeGreaterThan(0);
      ends.shift()?.();
    },
  };
}

it('calls that arrive while a statement runs share the next one', async () => {
  const { statements, insert, next } = heldStatements();
  const groups = new EventGroups(insert);

  const first = groups.store([row('1')]);
  await expect.poll(() => statements).toEqual(['1']);
  const others = [groups.store([row('2'), row('3')]), groups.store([row('4')])];
  await next();
  await first;
  await next();
  await Promise.all(others);

  expect(statements).toEqual(['1', '2 3 4']);
});

it('a call is not answered before the statement with its rows has ended', async () => {
  const { insert, next } = heldStatements();
  const groups = new EventGroups(insert);
  const ended: string[] = [];

  const first = groups.store([row('1')]).then(() => ended.push('first'));
  await Promise.resolve();
  const second = groups.store([row('2')]).then(() => ended.push('second'));
  await next();
  await first;
  expect(ended).toEqual(['first']);
  await next();
  await second;
});

it('one statement stores at most sixteen calls', async () => {
  const sizes: number[] = [];
  const groups = new EventGroups((rows) => {
    sizes.push(rows.length);
    return Promise.resolve();
  });

  await Promise.all(Array.from({ length: 40 }, (_, index) => groups.store([row(String(index))])));

  expect(sizes).toEqual([1, 16, 16, 7]);
});

it('rows that cannot be stored affect no other call', async () => {
  const stored: string[] = [];
  const groups = new EventGroups((rows) => {
    if (rows.some(({ id }) => id === 'bad')) return Promise.reject(new RangeError('too long'));
    stored.push(...rows.map(({ id }) => id));
    return Promise.resolve();
  });

  const ends = await Promise.allSettled(['1', '2', 'bad', '3'].map((id) => groups.store([row(id)])));

  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(stored).toEqual(['1', '2', '3']);
});

it('an unavailable database rejects all calls after one statement, and later calls are stored', async () => {
  let isDown = true;
  let statements = 0;
  const groups = new EventGroups(() => {
    statements += 1;
    return isDown
      ? Promise.reject(new ServiceError('UNAVAILABLE', { reason: 'database unreachable' }))
      : Promise.resolve();
  });

  const ends = await Promise.allSettled(['1', '2', '3'].map((id) => groups.store([row(id)])));
  isDown = false;
  await groups.store([row('4')]);

  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(statements).toBe(2);
});
