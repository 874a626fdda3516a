import { expect, it } from 'vitest';
import { intact, relayed } from '../../support/events/event-chain.js';
import { storyOn } from '../../support/login/login-story.js';
import { upTo } from '../../support/login/races.js';
import { SEAL_ARGS } from '../../support/programs/restored-service.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { roundsInTier } from '../../support/runner/tier.js';

const ROUNDS = roundsInTier(2, { inFull: 4 });
const LOGINS = 40;

onEachEngine('R2: service killed while it relays events', (engine) => {
  const story = storyOn(engine, { people: ROUNDS * LOGINS, args: SEAL_ARGS, isAlone: true });

  it(
    `R2: each event that was stored before a service was killed is in the chain once, ${ROUNDS} times`,
    { timeout: 120_000 },
    async () => {
      const lastBatch = async (): Promise<number> =>
        (await story.database.query<{ batch: number }>('SELECT batch FROM event_chain'))[0]?.batch ?? 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await lastBatch();
        const client = story.client();
        const burst = Promise.allSettled(upTo(LOGINS).map(() => story.signInByPassword(story.person(), client)));
        // A batch is being written, or was written just now.
        await waitUntil('the relay has begun', async () => (await lastBatch()) > before);
        await story.service.kill();
        await burst;
        await story.restart();
      }
      await relayed(story.database);

      const [stored] = await story.database.query<{ events: number }>('SELECT COUNT(*) AS events FROM security_event');
      expect(intact(await story.command('events', 'verify')).events).toBe(stored?.events);
    },
  );
});
