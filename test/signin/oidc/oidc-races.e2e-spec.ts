import { generateKeyPairSync } from 'node:crypto';
import { storyOn } from '../../support/login/login-story.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { oidcRaceArgs, oidcRaces } from '../../support/oidc/oidc-races.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

onEachEngine('R13: races of applications at two services that share a database', (engine) => {
  oidcRaces(storyOn(engine, { people: 10, services: 2, args: oidcRaceArgs(publicKey) }), privateKey, 200);
});
