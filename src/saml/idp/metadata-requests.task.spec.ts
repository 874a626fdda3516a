import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CollectedLog } from '../../../test/support/collected-log.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import type { MetadataRefresh } from './metadata-refresh.task.js';
import type { MetadataRequests } from './metadata-requests.service.js';
import { MetadataRequestWatch } from './metadata-requests.task.js';

const TURN_MILLIS = 5000;
const NEW_REQUEST = 'INFO "saml refresh" requested a new reading of the metadata of the identity provider "corp"';

let counts: Readonly<Record<string, number>>;
let isAway: boolean;
let readings: string[];
let log: CollectedLog;
let watch: MetadataRequestWatch;

beforeEach(() => {
  vi.useFakeTimers();
  counts = {};
  isAway = false;
  readings = [];
  log = new CollectedLog();
  const requests: Pick<MetadataRequests, 'counts'> = {
    counts: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Map(Object.entries(counts)))),
  };
  const refresh: Pick<MetadataRefresh, 'names' | 'refreshNow'> = {
    names: ['corp', 'other'],
    refreshNow: (name) => {
      readings.push(name);
      return Promise.resolve();
    },
  };
  const tasks = new ScheduledTasks(new ManualClock());
  watch = new MetadataRequestWatch(requests as MetadataRequests, refresh as MetadataRefresh, log.loggers, tasks);
});
afterEach(async () => {
  await watch.onModuleDestroy();
  vi.useRealTimers();
});

function turn(): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(TURN_MILLIS);
}

it('S3: a request is obeyed once, by the turn after it', async () => {
  watch.onApplicationBootstrap();
  await turn();
  counts = { corp: 1, removed: 1 };

  await turn();
  await turn();

  expect(readings).toEqual(['corp']);
  expect(log.messages).toEqual([NEW_REQUEST]);
});

it('S3: a request from before the start is obeyed, and not told as a new one', async () => {
  counts = { corp: 3 };
  watch.onApplicationBootstrap();

  await turn();

  expect(readings).toEqual(['corp']);
  expect(log.messages).toEqual([]);
  counts = { corp: 4 };
  await turn();
  expect(log.messages).toEqual([NEW_REQUEST]);
});

it('S3: a request is obeyed once the database is back', async () => {
  watch.onApplicationBootstrap();
  await turn();
  counts = { corp: 1 };
  isAway = true;
  await turn();
  expect(readings).toEqual([]);
  isAway = false;

  await turn();

  expect(readings).toEqual(['corp']);
});
