import { withoutUndefined } from '../kernel/collections/without-undefined.js';
import { ScheduledTasks } from '../platform/tasks/scheduled-tasks.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation } from './dispatch/operation.js';
import type { Execution, ScheduledTask, Trigger } from '../platform/tasks/scheduled-task.js';

/** `GET {management_base}/scheduledtasks`: background tasks, their schedule and their last execution. */
@ManagementEndpoint()
export class ScheduledTasksEndpoint implements Endpoint {
  readonly id = 'scheduledtasks';

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: () => ({ body: describeTasks(this.tasks.all) }) },
  ];

  constructor(private readonly tasks: ScheduledTasks) {}
}

/** A task in the form of the response, which lists it under the kind of its trigger. */
type TaskView = Readonly<Record<string, unknown>>;

/** Every kind of trigger, in the order of the response. */
const KINDS = ['cron', 'fixedDelay', 'fixedRate', 'custom'] as const;

/** All tasks by the kinds of their triggers, sorted by target (management API, "scheduledtasks"). */
function describeTasks(tasks: readonly ScheduledTask[]): Readonly<Record<Trigger['kind'], readonly TaskView[]>> {
  // The order in which providers are constructed is of no interest.
  const sorted = tasks.toSorted((a, b) => (a.target < b.target ? -1 : Number(a.target > b.target)));
  const of = (kind: Trigger['kind']): readonly TaskView[] =>
    sorted.filter(({ trigger }) => trigger.kind === kind).map(describeTask);
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as ReturnType<typeof describeTasks>;
}

function describeTask({ target, trigger, nextAt, lastExecution }: ScheduledTask): TaskView {
  return withoutUndefined({
    runnable: { target },
    ...describeTrigger(trigger),
    nextExecution: nextAt === undefined ? undefined : { time: isoTime(nextAt) },
    lastExecution: lastExecution && describeExecution(lastExecution),
  });
}

function describeExecution({ exception, status, at }: Execution): TaskView {
  return withoutUndefined({ exception, status, time: isoTime(at) });
}

function describeTrigger(trigger: Trigger): TaskView {
  switch (trigger.kind) {
    case 'cron':
      return { expression: trigger.expression };
    case 'custom':
      return { trigger: trigger.trigger };
    default:
      return { initialDelay: trigger.initialDelayMillis, interval: trigger.intervalMillis };
  }
}

function isoTime(millis: number): string {
  return new Date(millis).toISOString();
}
