import type { ScheduledTask, Trigger } from '../tasks/scheduled-task.js';

/** A task as the wire has it, under the kind of its trigger. */
export type TaskView = Readonly<Record<string, unknown>>;

/** Every kind of trigger, in the order of the answer. */
const KINDS = ['cron', 'fixedDelay', 'fixedRate', 'custom'] as const;

/** All tasks by the kinds of their triggers (management API, "scheduledtasks"). */
export function describeTasks(tasks: readonly ScheduledTask[]): Readonly<Record<Trigger['kind'], readonly TaskView[]>> {
  const of = (kind: Trigger['kind']): readonly TaskView[] =>
    tasks.filter(({ trigger }) => trigger.kind === kind).map(describeTask);
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as ReturnType<typeof describeTasks>;
}

function describeTask({ target, trigger, nextAt, lastExecution }: ScheduledTask): TaskView {
  return {
    runnable: { target },
    ...describeTrigger(trigger),
    ...(nextAt !== undefined && { nextExecution: { time: isoTime(nextAt) } }),
    ...(lastExecution && {
      lastExecution: {
        ...(lastExecution.exception && { exception: lastExecution.exception }),
        status: lastExecution.status,
        time: isoTime(lastExecution.at),
      },
    }),
  };
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
