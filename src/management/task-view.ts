import type { ScheduledTask, Trigger } from '../tasks/scheduled-task.js';

/** A task as the wire has it, under the kind of its trigger. */
export type TaskView = Readonly<Record<string, unknown>>;

/** Every kind of trigger, in the order of the answer. */
const KINDS = ['cron', 'fixedDelay', 'fixedRate', 'custom'] as const;

/** All tasks by the kinds of their triggers (management API, "scheduledtasks"). */
export function viewOfTasks(tasks: readonly ScheduledTask[]): Readonly<Record<Trigger['kind'], readonly TaskView[]>> {
  const of = (kind: Trigger['kind']): readonly TaskView[] =>
    tasks.filter(({ trigger }) => trigger.kind === kind).map(viewOf);
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as ReturnType<typeof viewOfTasks>;
}

function viewOf({ target, trigger, nextAt, lastExecution }: ScheduledTask): TaskView {
  return {
    runnable: { target },
    ...timesOf(trigger),
    ...(nextAt !== undefined && { nextExecution: { time: timeOf(nextAt) } }),
    ...(lastExecution && {
      lastExecution: {
        ...(lastExecution.exception && { exception: lastExecution.exception }),
        status: lastExecution.status,
        time: timeOf(lastExecution.at),
      },
    }),
  };
}

function timesOf(trigger: Trigger): TaskView {
  switch (trigger.kind) {
    case 'cron':
      return { expression: trigger.expression };
    case 'custom':
      return { trigger: trigger.trigger };
    default:
      return { initialDelay: trigger.initialDelayMillis, interval: trigger.intervalMillis };
  }
}

function timeOf(millis: number): string {
  return new Date(millis).toISOString();
}
