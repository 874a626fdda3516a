import { full, near } from '../../config/bind/effect.js';
import { integer, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';

@Properties('app.task.scheduling.pool')
export class SchedulingPoolProperties {
  @Key(integer({ min: 1 }), {
    does:
      'Scheduled jobs that run at the same time; further ones wait in the order they are due, so that with 1 a ' +
      'long job delays all others.',
    effect: full,
  })
  readonly size: number = 1;
}

@Properties('app.task.execution')
export class ExecutionProperties {
  @Key(text(), {
    does: 'Start of the names under which background tasks appear in the log and in threaddump; a number follows.',
    effect: near(
      'It names a place of the pool, since tasks share the event loop; the lowest free number is used again, so that no ' +
        'number is above the number of tasks that ran at the same time.',
    ),
  })
  readonly threadNamePrefix: string = 'task-';
}

@Properties('app.task.execution.pool')
export class ExecutionPoolProperties implements SelfChecking {
  @Key(integer({ min: 1 }), {
    does: 'Background tasks (mails and requests to the webhook) that run at the same time before further ones are queued.',
    effect: full,
  })
  readonly coreSize: number = 8;

  @Key(integer({ min: 1 }), {
    does:
      'Background tasks that run at the same time once the queue is full; a further one is rejected; without ' +
      'effect if the queue has no limit.',
    effect: full,
    defaultText: 'no limit',
  })
  readonly maxSize?: number;

  @Key(integer({ min: 0 }), {
    does: 'Maximum number of background tasks that wait, in the order in which they came; 0 lets none wait.',
    effect: full,
    defaultText: 'no limit',
  })
  readonly queueCapacity?: number;

  violations(): readonly Violation[] {
    if (this.maxSize === undefined || this.coreSize <= this.maxSize) return [];
    return [
      { property: 'maxSize', against: ['coreSize'], reason: `must not be below core-size, which is ${this.coreSize}` },
    ];
  }
}
