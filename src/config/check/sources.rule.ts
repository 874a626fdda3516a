import { KeyName } from '../names/key-name.js';
import type { Origin } from '../read/origin.js';
import { from } from '../problem.js';
import { ruleProblem, Rule } from './rule.js';
import { sanitizeUnresolved } from '../../kernel/redaction/secrets.js';

const ACTIVE = KeyName.parse('app.profiles.active').uniform;

/** Rule 1: the active profile is set by the server, not by a file that is copied along. */
export const profilesOutsideFiles = new Rule('1', ({ entries }) =>
  entries
    .filter(({ isInFile }) => isInFile)
    .filter(({ key }) => key.uniform === ACTIVE || key.uniform.startsWith(`${ACTIVE}.`))
    .map(({ text, origin }) =>
      ruleProblem(
        {
          what: 'A file chooses the active profile',
          action: 'Set app.profiles.active by APP_PROFILES_ACTIVE or -Dapp.profiles.active only.',
        },
        { Property: 'app.profiles.active', Value: `"${sanitizeUnresolved(text, false)}"`, Origin: from(origin) },
      ),
    ),
);

/** Rule 8: every effective value has an origin. */
export const originsKnown = new Rule('8', ({ states }) =>
  states
    .filter(({ assignments }) => assignments[0] && !isTraceable(assignments[0].origin))
    .map(({ name }) =>
      ruleProblem(
        {
          what: 'The origin of the value is unknown',
          action: `Set ${name} in a file, by a variable or by an argument.`,
        },
        { Property: name },
      ),
    ),
);

function isTraceable(origin: Origin): boolean {
  return origin.kind === 'position' ? origin.resource.path !== '' && origin.line > 0 : origin.name !== '';
}
