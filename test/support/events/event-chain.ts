import { expect } from 'vitest';
import type { Ended } from '../programs/service.js';
import type { StoryDatabase } from '../database/story-database.js';
import { waitUntil } from '../runner/wait-until.js';

/** Waits until a service has relayed all events. */
export async function relayed(database: StoryDatabase): Promise<void> {
  await waitUntil('all events are relayed', async () => {
    const [row] = await database.query<{ events: number }>(
      'SELECT COUNT(*) AS events FROM security_event WHERE batch <= 0',
    );
    return row?.events === 0;
  });
}

/** Requires that `events verify` found the chain intact; returns the number of events and the head. */
export function intact({ exitCode, stdout, stderr }: Ended): { readonly events: number; readonly head: string } {
  expect(exitCode, stdout + stderr).toBe(0);
  const [, events, head = ''] = /is intact: \d+ batches, (\d+) events\.[^\n]*\nHead: (\S+)\n$/.exec(stdout) ?? [];
  return { events: Number(events), head };
}
