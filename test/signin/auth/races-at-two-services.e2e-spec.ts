import { storyOn } from '../../support/login/login-story.js';
import { PASSKEY_RACE_ARGS, PASSKEY_RACE_PEOPLE, passkeyRaces } from '../../support/passkey/passkey-races.js';
import {
  RACE_PEOPLE,
  refreshRaces,
  secondStepRaces,
  strictRefreshRaces,
  throttledLoginRaces,
} from '../../support/login/race-stories.js';
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
