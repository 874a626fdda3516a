import { afterAll, beforeAll } from 'vitest';
import type { Engine } from '../database/story-database.js';
import { type LoginStory, storyOn } from '../login/login-story.js';
import { type RoundRobin, startRoundRobin } from './round-robin.js';

/** The service is behind the real clock of the example at first, since it moves on for each code; logout tokens last two minutes. */
const BEHIND_SECONDS = 90;

/** One service on SQLite, or two that share a MariaDB; an example reaches them at `port` in turns. */
export function storyInTurns(engine: Engine, port: number, args: readonly string[]): LoginStory {
  const services = engine.name === 'SQLite' ? 1 : 2;
  const publicUrl = `--app.security.public-url=http://localhost:${port}`;
  const story = storyOn(engine, { services, people: 10, args: [publicUrl, ...args] });
  let proxy: RoundRobin;
  story.clock.back(BEHIND_SECONDS);
  story.clock.run();
  beforeAll(async () => {
    proxy = await startRoundRobin(
      port,
      story.services.map(({ url }) => url),
    );
  });
  afterAll(() => proxy.stop());
  return story;
}
