import { Injectable } from '@nestjs/common';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { Decoys } from './decoys.service.js';

/** Not at once, so that a short command ends before it. A login that comes earlier reads the kinds itself. */
const INITIAL_DELAY_MILLIS = 1000;
const INTERVAL_MILLIS = 60_000;

/** Keeps the decoys up to date with the kinds of password hashes in use; a failed turn keeps the last counts. */
@Injectable()
export class PasswordKinds {
  constructor(decoys: Decoys, tasks: ScheduledTasks) {
    tasks.repeat(
      'PasswordKinds.refresh',
      { kind: 'fixedDelay', initialDelayMillis: INITIAL_DELAY_MILLIS, intervalMillis: INTERVAL_MILLIS },
      (signal) => decoys.refresh(signal),
    );
  }
}
