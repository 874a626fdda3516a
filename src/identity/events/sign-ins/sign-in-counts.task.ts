import { Injectable } from '@nestjs/common';
import { Random } from '../../../kernel/random/random.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { MAX_HOURS, SignInCounts } from './sign-in-counts.service.js';

const INITIAL_DELAY_MILLIS = 60_000;
const INTERVAL_MILLIS = 10 * 60_000;
/** The first turns count the month before; the pauses between them leave the database to sign-ins. */
const UNFINISHED_DELAY_MILLIS = 5000;

/** Counts the sign-ins of past hours in the background of one replica at a time. */
@Injectable()
export class SignInCountsTask {
  constructor(counts: SignInCounts, random: Random, tasks: ScheduledTasks) {
    tasks.repeat(
      'SignInCounts.countPast',
      {
        kind: 'fixedDelay',
        initialDelayMillis: INITIAL_DELAY_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        unfinishedDelayMillis: UNFINISHED_DELAY_MILLIS,
        jitter: random,
        onOneReplica: true,
      },
      async (signal) => ((await counts.countPast(signal)) >= MAX_HOURS ? 'unfinished' : undefined),
    );
  }
}
