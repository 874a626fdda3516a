import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bound } from '../../../test/config/keys/situation.js';
import { CollectedLog } from '../../../test/support/collected-log.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { Random } from '../../random/random.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import type { IdpMetadata } from './idp-metadata.service.js';
import { type IdpEntry, Idps } from './idps.service.js';
import { MetadataFailure } from './metadata-failure.js';
import { MetadataRefresh } from './metadata-refresh.task.js';
import { SamlProperties } from '../saml.properties.js';

const HOUR = 3_600_000;

/** Nothing is spread: the longest wait. */
class FixedRandom extends Random {
  bytes(length: number): Buffer {
    return Buffer.alloc(length, 255);
  }
}

describe('the metadata of identity providers in a running service', () => {
  const turns: string[] = [];
  const clock = new ManualClock();
  const log = new CollectedLog();
  let entityId: string;
  let failure: Error | undefined;
  let tasks: ScheduledTasks;
  let refresh: MetadataRefresh;

  const metadata = {
    refresh: ({ cache: known }: IdpEntry): Promise<void> => {
      turns.push(known.name);
      if (failure) return Promise.reject(failure);
      const trust = { entityId, sso: { url: 'https://idp.example', binding: 'redirect' as const }, certificates: [] };
      known.update({ trust, warnings: ['It is only half right'] }, clock.millis());
      return Promise.resolve();
    },
    restore: ({ cache: known }: IdpEntry): Promise<void> => {
      turns.push(`${known.name} as it was`);
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
    await refresh.onModuleDestroy();
    vi.useRealTimers();
  });

  it('are nobody’s where all is set by hand', async () => {
    const keys = ['entity-id=urn:a', 'sso-url=https://idp.example', 'certificates=/any'];
    await running(keys.map((key) => `hand.${key}`));

    expect([turns, tasks.all]).toEqual([[], []]);
  });

  it('are read from a file before the service opens, and from a URL behind it, with what was kept first', async () => {
    const file = join(temporaryFolder('metadata'), 'idp.xml');
    writeFileSync(file, '');
    await made([`corp.metadata=https://idp.example/m`, `other.metadata=file:${file}`]);
    expect(turns).toEqual(['other']);

    refresh.onApplicationBootstrap();
    await vi.advanceTimersByTimeAsync(0);
    expect(turns).toEqual(['other', 'corp as it was', 'corp']);
  });

  it('are read again after the longest time', async () => {
    await running(['corp.metadata=https://idp.example/m', 'corp.metadata-refresh=2h']);

    await vi.advanceTimersByTimeAsync(2 * HOUR - 1);
    expect(turns).toEqual(['corp as it was', 'corp']);
    await vi.advanceTimersByTimeAsync(1);
    expect(turns).toEqual(['corp as it was', 'corp', 'corp']);
  });

  it('are tried again soon after a failure, then less and less often, and as usual after a success', async () => {
    failure = new MetadataFailure('they are gone');
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

  it('are told of when they are read first, when they change, and once when they fail', async () => {
    await running();
    await vi.advanceTimersByTimeAsync(HOUR);
    failure = new MetadataFailure('their URL answered 500');
    await vi.advanceTimersByTimeAsync(HOUR + 5000);
    failure = undefined;
    entityId = 'urn:new';
    await vi.advanceTimersByTimeAsync(HOUR);

    const warning = 'WARN Metadata of the identity provider "corp": It is only half right';
    expect(log.messages.slice(0, 5)).toEqual([
      'INFO Read the metadata of the identity provider "corp": urn:idp, 0 signing certificates',
      warning,
      'WARN The metadata of the identity provider "corp" cannot be used, which is tried again and again; what was known ' +
        'of it stays in use: their URL answered 500',
      'INFO Read changed metadata of the identity provider "corp": urn:new, 0 signing certificates',
      warning,
    ]);
    expect(log.lines.length).toBe(5);
  });

  it('say that nobody can sign in where nothing was read yet', async () => {
    failure = new MetadataFailure('they have a DOCTYPE');
    await running();

    expect(log.messages).toEqual([
      'WARN The metadata of the identity provider "corp" cannot be used, which is tried again and again; nobody can sign ' +
        'in through it: they have a DOCTYPE',
    ]);
  });

  it('are known as a task with a next run, also after a failure', async () => {
    failure = new MetadataFailure('they are gone');
    await running();

    const [task] = tasks.all;
    expect(task).toMatchObject({
      target: 'MetadataRefresh.refresh',
      trigger: {
        kind: 'custom',
        trigger: 'corp: at least every 3600 s, cacheDuration of the metadata allowing; sooner after a failure',
      },
      lastExecution: { status: 'ERROR', exception: { type: 'MetadataFailure', message: 'they are gone' } },
      nextAt: clock.millis() + 5000,
    });
  });

  it('are left alone after the end', async () => {
    await running();
    turns.length = 0;

    await refresh.onModuleDestroy();
    await vi.advanceTimersByTimeAsync(2 * HOUR);

    expect(turns).toEqual([]);
  });
});
