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

onEachEngine('races at one service', (engine) => {
  const story = storyOn(engine, { people: RACE_PEOPLE });
  secondStepRaces(story);
  refreshRaces(story);
});

onEachEngine('passkey races at one service', (engine) => {
  passkeyRaces(storyOn(engine, { people: PASSKEY_RACE_PEOPLE, args: PASSKEY_RACE_ARGS }));
});

onEachEngine('refresh races at one service without grace', (engine) => {
  strictRefreshRaces(storyOn(engine, { args: ['--app.security.refresh.grace=0s'] }));
});

onEachEngine('P3: races at one service that throttles wrong passwords', (engine) => {
  throttledLoginRaces(storyOn(engine, { throttled: true }), { areShared: false });
});
