import { expect, it } from 'vitest';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { PASSKEY_RACE_ARGS, PASSKEY_RACE_PEOPLE, passkeyRaces } from '../../support/passkey/passkey-races.js';
import {
  RACE_PEOPLE,
  refreshRaces,
  secondStepRaces,
  strictRefreshRaces,
  throttledLoginRaces,
} from '../../support/login/race-stories.js';
import { atOnce } from '../../support/login/races.js';
import { onEachEngine } from '../../support/database/story-database.js';

onEachEngine('R13: races at two services that share a database', (engine) => {
  const story = storyOn(engine, { people: RACE_PEOPLE, services: 2 });
  secondStepRaces(story);
  refreshRaces(story);
});

onEachEngine('R13: passkey races at two services that share a database', (engine) => {
  passkeyRaces(storyOn(engine, { people: PASSKEY_RACE_PEOPLE, services: 2, args: PASSKEY_RACE_ARGS }));
});

onEachEngine('R13: refresh races at two services without grace', (engine) => {
  strictRefreshRaces(storyOn(engine, { services: 2, args: ['--app.security.refresh.grace=0s'] }));
});

onEachEngine('R13, P3: races at two services that throttle wrong passwords', (engine) => {
  throttledLoginRaces(storyOn(engine, { services: 2, throttled: true }), { areShared: engine.name !== 'SQLite' });
});

onEachEngine('R13: logins at once from one client without cookies, at two services', (engine) => {
  const story = storyOn(engine, { people: 2, services: 2 });

  async function reportsOf(person: Person): Promise<number> {
    const answers = await atOnce(40, (index) => {
      const client = story.client(index % 2);
      client.headers['user-agent'] = 'robot/2';
      return client.post('/login', { id: person.id, pw: person.password });
    });
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return story.countOf(person, 'NEW_DEVICE');
  }

  it('R13: a new client of an account is reported once', async () => {
    const person = story.person();
    await story.signInByPassword(person);

    expect(await reportsOf(person)).toBe(1);
  });

  it('R13: the first client of an account is reported at most once', async () => {
    expect(await reportsOf(story.person())).toBeLessThanOrEqual(1);
  });
});
