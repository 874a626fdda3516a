import { Injectable } from '@nestjs/common';
import { Random } from '../../kernel/random/random.js';
import { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';
import { EventRetention, MAX_ROWS } from './event-retention.service.js';
import { EventProperties } from './events.properties.js';

const INITIAL_DELAY_MILLIS = 10 * 60_000;
const INTERVAL_MILLIS = 60 * 60_000;
/** A turn that left expired events is followed soon, so that a first retention ends within hours, not days. */
const UNFINISHED_DELAY_MILLIS = 5000;

/** Deletes expired security events in the background of one replica at a time, if a retention is configured. */
@Injectable()
export class EventRetentionTask {
  constructor(retention: EventRetention, properties: EventProperties, random: Random, tasks: ScheduledTasks) {
    if (properties.retention === undefined) return;
    tasks.repeat(
      'EventRetention.sweep',
      {
        kind: 'fixedDelay',
        initialDelayMillis: INITIAL_DELAY_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        unfinishedDelayMillis: UNFINISHED_DELAY_MILLIS,
        jitter: random,
        onOneReplica: true,
      },
      async (signal) => ((await retention.sweep(signal)) >= MAX_ROWS ? 'unfinished' : undefined),
    );
  }
}
