import { Injectable } from '@nestjs/common';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import type { Endpoint, Operation } from './dispatch/operation.js';
import { describeTasks } from './task-view.js';

/** `GET {management_base}/scheduledtasks`: what runs in the background, when, and how it went. */
@Injectable()
export class ScheduledTasksEndpoint implements Endpoint {
  readonly id = 'scheduledtasks';

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: () => ({ body: describeTasks(this.tasks.all) }) },
  ];

  constructor(private readonly tasks: ScheduledTasks) {}
}
