import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { Idp } from './idps.service.js';
import type { MetadataRefresh } from './metadata-refresh.task.js';
import { KeyRollover } from './key-rollover.service.js';

const OLD = ['old'];
const clock = new ManualClock();
let certificates: readonly string[];
let readings: PromiseWithResolvers<undefined>[];
let keys: KeyRollover;

const refresh: Pick<MetadataRefresh, 'refreshNow'> = {
  refreshNow: () => {
    const reading = Promise.withResolvers<undefined>();
    readings.push(reading);
    return reading.promise;
  },
};
const idp = (name: string): Idp => ({ name, trust: () => ({ certificates }) }) as Partial<Idp> as Idp;

beforeEach(() => {
  vi.useFakeTimers();
  certificates = OLD;
  readings = [];
  keys = new KeyRollover(refresh as MetadataRefresh, clock);
});
afterEach(() => {
  vi.useRealTimers();
});

it('S3: messages at the same time share one reading, and all see what it brought', async () => {
  const asked = [1, 2, 3].map(() => keys.hasNewCertificates(idp('corp'), OLD));
  expect(readings).toHaveLength(1);

  certificates = ['new'];
  readings[0]?.resolve(undefined);

  expect(await Promise.all(asked)).toEqual([true, true, true]);
});

it('S3: reads at most once a minute for each provider', async () => {
  const ask = async (name: string): Promise<boolean> => {
    const asked = keys.hasNewCertificates(idp(name), OLD);
    for (const reading of readings) reading.resolve(undefined);
    return asked;
  };
  expect(await ask('corp')).toBe(false);
  clock.advance(59);
  await ask('corp');
  expect(readings).toHaveLength(1);
  await ask('other');
  expect(readings).toHaveLength(2);
  clock.advance(1);
  await ask('corp');
  expect(readings).toHaveLength(3);
  clock.advance(-3600);
  await ask('corp');
  expect(readings).toHaveLength(4);
});

it('S3: a login waits five seconds at most for the metadata', async () => {
  const asked = keys.hasNewCertificates(idp('corp'), OLD);

  await vi.advanceTimersByTimeAsync(5000);

  expect(await asked).toBe(false);
});
