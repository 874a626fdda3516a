import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bound } from '../../../../test/config/keys/situation.js';
import { CollectedLog } from '../../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Random } from '../../../kernel/random/random.js';
import type { BackgroundLoop } from '../../../platform/tasks/repeat.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import type { IdpMetadata } from './idp-metadata.service.js';
import { type IdpEntry, Idps } from './idps.service.js';
import { MetadataFailure } from './metadata-source.js';
import { MetadataRefresh } from './metadata-refresh.task.js';
import { SamlProperties } from '../saml.properties.js';

const HOUR = 3_600_000;

/** 255: always the longest delay. */
class FixedRandom extends Random {
  constructor(private readonly byte = 255) {
    super();
  }

  bytes(length: number): Buffer {
    return Buffer.alloc(length, this.byte);
  }
}

/** Shows how the refresh of one identity provider is scheduled. */
class ScheduleOfOne extends ScheduledTasks {
  delayMillis: (failures: number) => number | undefined = () => undefined;

  override repeat(...[target, schedule, work]: Parameters<ScheduledTasks['repeat']>): BackgroundLoop {
    if (schedule.kind === 'custom') this.delayMillis = schedule.delayMillis;
    return super.repeat(target, schedule, work);
  }
}

describe('metadata refresh', () => {
  const turns: string[] = [];
  const clock = new ManualClock();
  const log = new CollectedLog();
  let entityId: string;
  let failure: Error | undefined;
  let tasks: ScheduledTasks;
  let refresh: MetadataRefresh;

  const metadata = {
    refresh: ({ cache }: IdpEntry): Promise<void> => {
      turns.push(cache.name);
      if (failure) return Promise.reject(failure);
      const trust = { entityId, sso: { url: 'https://idp.example', binding: 'redirect' as const }, certificates: [] };
      cache.update({ trust, warnings: ['It is only half right'] }, clock.millis());
      return Promise.resolve();
    },
    restore: ({ cache }: IdpEntry): Promise<void> => {
      turns.push(`${cache.name} as it was`);
      return Promise.resolve();
    },
  };
  const made = async (keys: readonly string[]): Promise<void> => {
    const args = keys.map((key) => `--app.security.saml.idp.${key}`);
    tasks = new ScheduledTasks(clock);
    const idps = new Idps(bound({ args }, SamlProperties), clock);
    refresh = new MetadataRefresh(
      metadata as Partial<IdpMetadata> as IdpMetadata,
      new FixedRandom(),
      idps,
      log.loggers,
      tasks,
    );
    await refresh.onModuleInit();
  };
  const running = async (keys: readonly string[] = ['corp.metadata=https://idp.example/m']): Promise<void> => {
    await made(keys);
    refresh.onApplicationBootstrap();
    tasks.start();
    await vi.advanceTimersByTimeAsync(0);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    turns.length = 0;
    log.lines.length = 0;
    failure = undefined;
    entityId = 'urn:idp';
  });
  afterEach(async () => {
    refresh.onModuleDestroy();
    await tasks.stop();
    vi.useRealTimers();
  });

  it('does nothing for an identity provider that is configured without metadata', async () => {
    const keys = ['entity-id=urn:a', 'sso-url=https://idp.example', 'certificates=/any'];
    await running(keys.map((key) => `hand.${key}`));

    expect([turns, tasks.all]).toEqual([[], []]);
  });

  it('reads files before the service opens, and URLs afterwards, starting with the stored metadata', async () => {
    const file = join(temporaryFolder('metadata'), 'idp.xml');
    writeFileSync(file, '');
    await made([`corp.metadata=https://idp.example/m`, `other.metadata=file:${file}`]);
    expect(turns).toEqual(['other']);

    refresh.onApplicationBootstrap();
    tasks.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(turns).toEqual(['other', 'corp as it was', 'corp']);
  });

  it('reads again after metadata-refresh', async () => {
    await running(['corp.metadata=https://idp.example/m', 'corp.metadata-refresh=2h']);

    await vi.advanceTimersByTimeAsync(2 * HOUR - 1);
    expect(turns).toEqual(['corp as it was', 'corp']);
    await vi.advanceTimersByTimeAsync(1);
    expect(turns).toEqual(['corp as it was', 'corp', 'corp']);
  });

  it('retries soon after a failure, then less often, and returns to the usual delay after a success', async () => {
    failure = new MetadataFailure('not SAML metadata');
    await running();
    turns.length = 0;

    await vi.advanceTimersByTimeAsync(5000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(turns.length).toBe(2);
    await vi.advanceTimersByTimeAsync(19_999);
    expect(turns.length).toBe(2);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(1);
    expect(turns.length).toBe(3);
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(turns.length).toBe(3);
  });

  it('logs the first reading, each change, and only the first failure in a row', async () => {
    await running();
    await vi.advanceTimersByTimeAsync(HOUR);
    failure = new MetadataFailure('the URL responded with 500');
    await vi.advanceTimersByTimeAsync(HOUR + 5000);
    failure = undefined;
    entityId = 'urn:new';
    await vi.advanceTimersByTimeAsync(HOUR);

    const warning = 'WARN Metadata of the identity provider "corp": It is only half right';
    expect(log.messages.slice(0, 5)).toEqual([
      'INFO Read the metadata of the identity provider "corp": urn:idp, 0 signing certificates',
      warning,
      'WARN The metadata of the identity provider "corp" cannot be used and will be retried; the previous ' +
        'metadata stays in use: the URL responded with 500',
      'INFO Read changed metadata of the identity provider "corp": urn:new, 0 signing certificates',
      warning,
    ]);
    expect(log.lines.length).toBe(5);
  });

  it('logs that no user can sign in while no metadata has been read', async () => {
    failure = new MetadataFailure('contains a DOCTYPE');
    await running();

    expect(log.messages).toEqual([
      'WARN The metadata of the identity provider "corp" cannot be used and will be retried; no user can sign ' +
        'in through it: contains a DOCTYPE',
    ]);
  });

  it('is listed as a scheduled task with a next run, also after a failure', async () => {
    failure = new MetadataFailure('not SAML metadata');
    await running();

    const [task] = tasks.all;
    expect(task).toMatchObject({
      target: 'MetadataRefresh.refresh',
      trigger: {
        kind: 'custom',
        trigger: 'corp: at least every 3600 s, cacheDuration of the metadata allowing; sooner after a failure',
      },
      lastExecution: { status: 'ERROR', exception: { type: 'MetadataFailure', message: 'not SAML metadata' } },
      nextAt: clock.millis() + 5000,
    });
  });

  it('reads nothing after shutdown', async () => {
    await running();
    turns.length = 0;

    refresh.onModuleDestroy();
    await tasks.stop();
    await vi.advanceTimersByTimeAsync(2 * HOUR);

    expect(turns).toEqual([]);
  });
});

describe('the delay before metadata is read again', () => {
  const READ_AT = 1_800_000_000_000;
  const TRUST = {
    entityId: 'urn:idp',
    sso: { url: 'https://idp.example', binding: 'redirect' },
    certificates: [],
  } as const;

  /** After a reading with these limits, and that many failures since. */
  function delayMillis(
    { validUntil, ...limits }: { readonly validUntil?: number; readonly cacheDurationSeconds?: number } = {},
    failures = 0,
    random = new FixedRandom(),
  ): number | undefined {
    const clock = new ManualClock();
    const args = ['--app.security.saml.idp.corp.metadata=https://idp.example/m'];
    const idps = new Idps(bound({ args }, SamlProperties), clock);
    const tasks = new ScheduleOfOne(clock);
    new MetadataRefresh({} as IdpMetadata, random, idps, new CollectedLog().loggers, tasks);
    idps.entries[0]?.cache.update({ trust: { ...TRUST, ...withoutUndefined({ validUntil }) }, ...limits }, READ_AT);
    return tasks.delayMillis(failures);
  }

  it.each([
    ['metadata-refresh', {}, 3_600_000],
    ['a shorter cacheDuration', { cacheDurationSeconds: 600 }, 600_000],
    ['metadata-refresh if cacheDuration is longer', { cacheDurationSeconds: 86_400 }, 3_600_000],
    ['at least a minute', { cacheDurationSeconds: 0 }, 60_000],
    ['half the time until validUntil', { validUntil: READ_AT + 1_000_000 }, 500_000],
    ['a minute after validUntil has passed', { validUntil: READ_AT - 1 }, 60_000],
  ])('is %s', (_, limits, millis) => {
    expect(delayMillis(limits)).toBe(millis);
  });

  it.each([
    [1, 5000],
    [2, 10_000],
    [3, 20_000],
    [10, 2_560_000],
    [11, 3_600_000],
    [2000, 3_600_000],
  ])('the delay after %i failures in a row is at most %i ms', (failures, millis) => {
    expect(delayMillis({}, failures)).toBe(millis);
  });

  it('is up to a quarter shorter at random, so that replicas do not read at the same time', () => {
    expect(delayMillis({}, 0, new FixedRandom(0))).toBe(2_700_000);
  });
});
