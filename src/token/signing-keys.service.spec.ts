import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { UnitOfWork } from '../persistence/unit-of-work.js';
import { ConfiguredKeys } from './configured-keys.js';
import type { KeyRotation } from './key-rotation.service.js';
import type { SealedKeys } from './sealed-keys.service.js';
import { SigningKeys } from './signing-keys.service.js';

const HALF_A_MINUTE = 30_000;

describe('the signing keys of a running service', () => {
  const turns: string[] = [];
  let failure: Error | undefined;
  const keepUp = (): Promise<void> => {
    turns.push('keep up');
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  const single = (): Promise<readonly never[]> => {
    turns.push('read');
    return Promise.resolve([]);
  };
  const keys = new SigningKeys(
    { keepUp } as Partial<KeyRotation> as KeyRotation,
    {} as SealedKeys,
    new ConfiguredKeys({ ownKey: undefined, verificationKeys: [], algorithm: 'ES256' }, () => ''),
    { single } as unknown as UnitOfWork,
    new ManualClock(),
  );

  beforeEach(() => {
    vi.useFakeTimers();
    turns.length = 0;
    failure = undefined;
    keys.onApplicationBootstrap();
  });
  afterEach(async () => {
    await keys.onModuleDestroy();
    vi.useRealTimers();
  });

  it('are kept up and read anew every half minute', async () => {
    await vi.advanceTimersByTimeAsync(2 * HALF_A_MINUTE);

    expect(turns).toEqual(['keep up', 'read', 'keep up', 'read']);
  });

  it('are tried again after the database was away', async () => {
    failure = new Error('away');
    await vi.advanceTimersByTimeAsync(HALF_A_MINUTE);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(HALF_A_MINUTE);

    expect(turns).toEqual(['keep up', 'keep up', 'read']);
  });

  it('are left alone after the end', async () => {
    await keys.onModuleDestroy();
    await vi.advanceTimersByTimeAsync(2 * HALF_A_MINUTE);

    expect(turns).toEqual([]);
  });
});
