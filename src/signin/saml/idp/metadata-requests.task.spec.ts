import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CollectedLog } from '../../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import type { MetadataRefresh } from './metadata-refresh.task.js';
import type { MetadataRequests } from './metadata-requests.service.js';
import { MetadataRequestWatch } from './metadata-requests.task.js';

const TURN_MILLIS = 5000;
const NEW_REQUEST = 'INFO "saml refresh" requested a new reading of the metadata of the identity provider "corp"';

let counts: Readonly<Record<string, number>>;
let isAway: boolean;
let readings: string[];
let log: CollectedLog;
let tasks: ScheduledTasks;

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
  tasks = new ScheduledTasks(new ManualClock());
  new MetadataRequestWatch(requests as MetadataRequests, refresh as MetadataRefresh, log.loggers, tasks);
});
afterEach(async () => {
  await tasks.stop();
  vi.useRealTimers();
});

function turn(): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(TURN_MILLIS);
}

it('S3: the next look carries out a request once', async () => {
  tasks.start();
  await turn();
  counts = { corp: 1, removed: 1 };

  await turn();
  await turn();

  expect(readings).toEqual(['corp']);
  expect(log.messages).toEqual([NEW_REQUEST]);
});

it('S3: a request from before the start is carried out but not logged as new', async () => {
  counts = { corp: 3 };
  tasks.start();

  await turn();

  expect(readings).toEqual(['corp']);
  expect(log.messages).toEqual([]);
  counts = { corp: 4 };
  await turn();
  expect(log.messages).toEqual([NEW_REQUEST]);
});

it('S3: a request is carried out when the database is back', async () => {
  tasks.start();
  await turn();
  counts = { corp: 1 };
  isAway = true;
  await turn();
  expect(readings).toEqual([]);
  isAway = false;

  await turn();

  expect(readings).toEqual(['corp']);
});
