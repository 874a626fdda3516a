import { KeyName } from '../names/key-name.js';
import { from, type Problem, problem } from '../problem.js';
import type { ConfigSource, Entry } from './source.js';
import type { KeyRegistry } from '../names/key-registry.js';

const SECTION = KeyName.parse('app.profiles');

/** Keys that select profiles; a document that profiles have selected may not contain them. */
const PROFILE_KEYS = ['active', 'include', 'default', 'group'].map((name) => SECTION.append(name));

/** Problems with keys that the document `source` may not contain. */
export function misplacedKeys(
  source: ConfigSource,
  registry: KeyRegistry,
  isChosenByProfile: boolean,
): readonly Problem[] {
  return source.entries.flatMap((entry) => {
    const definition = registry.find(entry.key);
    if (isSection(entry)) {
      return [illegalKey(entry, 'it is a section', 'Use app.profiles.active, set by the environment or an argument.')];
    }
    if (definition?.facts.fromProcessOnly) {
      const action = `Set ${definition.name} as an argument or an environment variable.`;
      return [illegalKey(entry, 'it is read before any file', action)];
    }
    if (isChosenByProfile && PROFILE_KEYS.some((key) => isAtOrBelow(entry.key, key))) {
      const action = `Move ${entry.spelled} to a document without profile, or better to the environment.`;
      return [illegalKey(entry, 'the document applies only with certain profiles', action)];
    }
    return [];
  });
}

/** True for `app.profiles: prod` or a list there; a section with everything commented out is empty and allowed. */
function isSection({ key, text }: Entry): boolean {
  return isAtOrBelow(key, SECTION) && /^\d*$/.test(key.uniformFrom(SECTION.length)) && text !== '';
}

function isAtOrBelow(key: KeyName, ancestor: KeyName): boolean {
  return key.uniformFrom(0, ancestor.length) === ancestor.uniform;
}

function illegalKey({ spelled, origin }: Entry, reason: string, action: string): Problem {
  return problem(`The key ${spelled} is not allowed here`, action, {
    Property: spelled,
    Origin: from(origin),
    Reason: reason,
  });
}
