import { expect, it } from 'vitest';
import type { SecurityEvents } from '../security-events.service.js';
import type { BackgroundLoop } from '../../../platform/tasks/repeat.js';
import type { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import type { EventRelay } from './event-relay.service.js';
import { EventRelayTask } from './event-relay.task.js';

/** The delay that the task asks for before its next turn. */
function delayOf(relay: Partial<EventRelay>, failures = 0): number {
  let delay: (failures: number) => number = () => NaN;
  const tasks = {
    repeat: (_: string, { delayMillis }: { readonly delayMillis: typeof delay }): BackgroundLoop => {
      delay = delayMillis;
      return { runNow: () => Promise.resolve() } as BackgroundLoop;
    },
  };
  const events = { onCommitted: () => undefined };
  new EventRelayTask(relay as EventRelay, events as unknown as SecurityEvents, tasks as unknown as ScheduledTasks);
  return delay(failures);
}

it('the relay looks for events of commands every five seconds, and each second for an urgent subscriber', () => {
  expect(delayOf({ isUrgent: false })).toBe(5000);
  expect(delayOf({ isUrgent: true })).toBe(1000);
});

it('the relay waits five seconds after a failure, whatever its subscribers', () => {
  expect(delayOf({ isUrgent: true }, 1)).toBe(5000);
});
