import { storyOn } from '../support/login-story.js';
import {
  RACE_PEOPLE,
  refreshRaces,
  secondStepRaces,
  strictRefreshRaces,
  throttledLoginRaces,
} from '../support/race-stories.js';
import { onEachEngine } from '../support/story-database.js';

onEachEngine('races at one service', (engine) => {
  const story = storyOn(engine, { people: RACE_PEOPLE });
  secondStepRaces(story);
  refreshRaces(story);
});

onEachEngine('refresh races at one service without grace', (engine) => {
  strictRefreshRaces(storyOn(engine, { args: ['--app.security.refresh.grace=0s'] }));
});

onEachEngine('P3: races at one service that throttles wrong passwords', (engine) => {
  throttledLoginRaces(storyOn(engine, { throttled: true }), { areShared: false });
});
