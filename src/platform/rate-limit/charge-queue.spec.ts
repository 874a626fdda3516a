import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { ChargeQueue } from './charge-queue.js';
import type { Charge, LimitVerdict } from './sliding-window.js';

const unit = (key: string): Charge => ({ key, quota: 10, windowMillis: 60_000, hits: 1 });
const verdict = (admitted: number): LimitVerdict => ({ admitted, remaining: 0, resetMillis: 1, retryMillis: 1 });

it('charges of one turn of the event loop, and those during a batch, are one charge for each key', async () => {
  const sent: (readonly Charge[])[] = [];
  const first = Promise.withResolvers<undefined>();
  const queue = new ChargeQueue(async (charges) => {
    sent.push(charges);
    if (sent.length === 1) await first.promise;
    return charges.map(({ hits }) => verdict(hits));
  });

  const early = ['a', 'b', 'a'].map((key) => queue.charge(unit(key)));
  await new Promise(setImmediate);
  const late = ['a', 'a', 'a'].map((key) => queue.charge(unit(key)));
  first.resolve(undefined);
  await Promise.all([...early, ...late]);

  expect(sent.map((charges) => charges.map(({ key, hits }) => [key, hits]))).toEqual([
    [
      ['a', 2],
      ['b', 1],
    ],
    [['a', 3]],
  ]);
});

it('the first callers of a key are admitted, as many as the verdict says', async () => {
  const queue = new ChargeQueue((charges) => Promise.resolve(charges.map(() => verdict(2))));

  const verdicts = await Promise.all(['a', 'a', 'a', 'a'].map((key) => queue.charge(unit(key))));

  expect(verdicts.map(({ admitted }) => admitted)).toEqual([1, 1, 0, 0]);
});

it('callers get the error of their batch, and the next batch is sent', async () => {
  let fails = true;
  const queue = new ChargeQueue((charges) =>
    fails ? Promise.reject(new Error('away')) : Promise.resolve(charges.map(({ hits }) => verdict(hits))),
  );

  await expect(queue.charge(unit('a'))).rejects.toThrow('away');
  fails = false;

  expect(await queue.charge(unit('a'))).toMatchObject({ admitted: 1 });
});

it('a batch runs in the context of none of its requests', async () => {
  const request = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const queue = new ChargeQueue((charges) => {
    contexts.push(request.getStore());
    return Promise.resolve(charges.map(({ hits }) => verdict(hits)));
  });

  await Promise.all(['one', 'other'].map((id) => request.run(id, () => queue.charge(unit('a')))));

  expect(contexts).toEqual([undefined]);
});
