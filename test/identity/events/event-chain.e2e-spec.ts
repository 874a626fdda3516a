import { join } from 'node:path';
import { expect, it } from 'vitest';
import { intact, relayed } from '../../support/events/event-chain.js';
import { storyOn } from '../../support/login/login-story.js';
import { upTo } from '../../support/login/races.js';
import { commandOn, SEAL_ARGS, serviceOn } from '../../support/programs/restored-service.js';
import { onAnyEngine, type StoryDatabase } from '../../support/database/story-database.js';

async function numberOfEvents(database: StoryDatabase): Promise<number> {
  const [row] = await database.query<{ events: number }>('SELECT COUNT(*) AS events FROM security_event');
  return row?.events ?? 0;
}

onAnyEngine('the chain of security events', (engine) => {
  const story = storyOn(engine, { services: 2, people: 30, args: SEAL_ARGS });

  it('L3: events of two services and of commands become one chain, each event in one batch', async () => {
    await Promise.all(upTo(12).map((number) => story.signInByPassword(story.person(), story.client(number % 2))));
    const { exitCode } = await story.command('users', 'disable', story.person().id);
    expect(exitCode).toBe(0);
    await relayed(story.database);

    const { events, head } = intact(await story.command('events', 'verify'));

    expect(events).toBe(await numberOfEvents(story.database));
    await story.signInByPassword(story.person());
    await relayed(story.database);
    expect(intact(await story.command('events', 'verify', '--head', head)).events).toBe(events + 1);
  });

  it('L3: cli events verify fails after a row was removed from the database, and names the batch', async () => {
    await story.signInByPassword(story.person());
    await relayed(story.database);
    const [removed] = await story.database.query<Record<string, string | number | null>>(
      'SELECT * FROM security_event ORDER BY id DESC LIMIT 1',
    );
    const { id = '', batch = 0 } = removed ?? {};
    await story.database.query('DELETE FROM security_event WHERE id = ?', [id]);

    const { exitCode, stdout, stderr } = await story.command('events', 'verify');

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^The chain of events is not intact:\n {2}Batch \d+ of .*: \d+ of its \d+ events (?:is|are) missing\.\n$/,
    );
    expect(stderr).toContain(`Batch ${batch} of `);
    const columns = Object.keys(removed ?? {});
    await story.database.query(
      `INSERT INTO security_event (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      Object.values(removed ?? {}),
    );
    intact(await story.command('events', 'verify'));
  });

  it('L3: the events of a backup join the chain of the database into which they are restored', async () => {
    await story.signInByPassword(story.person());
    await relayed(story.database);
    const file = join(story.cwd, 'backup');
    expect((await story.command('backup', file)).exitCode).toBe(0);
    const restored = await engine.freshDatabase();
    const command = (...args: readonly string[]) => commandOn(story, restored, ...args);
    const stored = await numberOfEvents(story.database);

    for (const flags of [[], ['--replace']]) {
      expect((await command('restore', file, ...flags)).exitCode).toBe(0);
      const service = await serviceOn(story, restored);
      await relayed(restored).finally(() => service.release());
    }

    const { events } = intact(await command('events', 'verify'));
    expect(events).toBe(await numberOfEvents(restored));
    // Each restore is an event, and each start afterwards creates keys.
    expect(events).toBeGreaterThanOrEqual(stored + 2);
  });
});
