import { notYet } from '../config/bind/effect.js';
import { text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('app.task.execution')
export class ExecutionProperties {
  @Key(text(), {
    does: 'Start of the names under which background tasks appear in the log.',
    effect: notYet('N', 'Names a task, since tasks have no threads of their own.'),
  })
  readonly threadNamePrefix: string = 'task-';
}
