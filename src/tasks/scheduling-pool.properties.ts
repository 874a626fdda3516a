import { notYet } from '../config/bind/effect.js';
import { integer } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('app.task.scheduling.pool')
export class SchedulingPoolProperties {
  @Key(integer({ min: 1 }), {
    does:
      'Scheduled jobs running at the same time; further ones wait in the order they are due, so that with 1 a long ' +
      'job delays all others.',
    effect: notYet('F'),
  })
  readonly size: number = 1;
}
