import { KeyName } from './key-name.js';
import { type Origin, originText } from './origin.js';
import type { Rule } from './rule.js';
import { shownUnfilled } from './secrets.js';

const ACTIVE = KeyName.parse('app.profiles.active').uniform;

/** Rule 1: the active profile is set by the server, not by a file that is copied along. */
export const profilesOutsideFiles: Rule = ({ entries }) =>
  entries
    .filter(({ isInFile }) => isInFile)
    .filter(({ key }) => key.uniform === ACTIVE || key.uniform.startsWith(`${ACTIVE}.`))
    .map(({ text, origin }) => ({
      rule: '1',
      severity: 'breach',
      text: `app.profiles.active = ${shownUnfilled(text, false)} (${originText(origin)}): set it by APP_PROFILES_ACTIVE or -Dapp.profiles.active only`,
    }));

/** Rule 8: what is in force can be traced to a place. */
export const originsKnown: Rule = ({ states }) =>
  states
    .filter(({ assignments }) => assignments[0] && !isTraceable(assignments[0].origin))
    .map(({ name }) => ({
      rule: '8',
      severity: 'breach',
      text: `${name}: nobody can tell where its value comes from`,
    }));

function isTraceable(origin: Origin): boolean {
  return origin.kind === 'position' ? origin.resource.path !== '' && origin.line > 0 : origin.name !== '';
}
