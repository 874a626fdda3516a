import { profilesWithFiles } from '../../../config/read/config-file.js';
import { readConfiguration } from '../../../config/configuration.js';
import { KeyName } from '../../../config/names/key-name.js';
import type { KeyDefinition } from '../../../config/names/key-registry.js';
import { allStates, type KeyState } from '../../../config/bind/key-state.js';
import { isPackaged } from '../../../config/read/origin.js';
import type { PropertiesClass } from '../../../config/bind/properties-class.js';
import { sanitizeUnresolved } from '../../../kernel/redaction/secrets.js';

/** The packaged value of one key, as written; entries of a map or of named objects with their names. */
export interface PackagedValue {
  /** The profile of the file; undefined for application.yml. */
  readonly profile: string | undefined;
  /** Name of the map entry or named object; undefined for a key with one value. */
  readonly entry: string | undefined;
  readonly text: string;
}

const ONLY_THE_PACKAGE = '--app.config.location=optional:classpath:/;optional:classpath:/config/';

/** The values of the packaged files: those of application.yml, then those that the file of a profile changes. */
export function packagedValues(
  classes: readonly PropertiesClass[],
  packageFolder: string,
): (definition: KeyDefinition) => readonly PackagedValue[] {
  const inputs = { variables: {}, workingFolder: packageFolder, packageFolder };
  const profiles = [...new Set(profilesWithFiles(['application'], inputs))].sort();
  const readings = [undefined, ...profiles].map((profile) => {
    const args = [ONLY_THE_PACKAGE, ...(profile === undefined ? [] : [`--app.profiles.active=${profile}`])];
    const { environment, registry } = readConfiguration(classes, { ...inputs, args });
    const states = allStates(environment, registry).map((state) => {
      return { state, owner: registry.find(KeyName.parse(state.name))?.name };
    });
    return { profile, states };
  });
  const [base] = readings;
  const texts = new Map(base?.states.map(({ state }) => [state.name, packagedText(state)]));
  return ({ name }) =>
    readings.flatMap(({ profile, states }) =>
      states
        .filter(({ owner }) => owner === name)
        .flatMap(({ state }) => {
          const text = packagedText(state);
          const isSaid = profile !== undefined && text === texts.get(state.name);
          return text === undefined || isSaid ? [] : [{ profile, entry: entryOf(state.name, name), text }];
        }),
    );
}

/** `root` of `logging.level.root`, `readiness` of `management.endpoint.health.group.readiness.include`. */
function entryOf(name: string, definition: string): string | undefined {
  const [base = '', rest] = definition.split(/<[^>]*>/);
  return rest === undefined ? undefined : name.slice(base.length, name.length - rest.length);
}

function packagedText(state: KeyState): string | undefined {
  const assignment = state.assignments.find(({ origin }) => isPackaged(origin));
  if (!assignment) return undefined;
  const { content } = assignment;
  const text = 'text' in content ? content.text : content.map((element) => element.text).join(',');
  return sanitizeUnresolved(text, state.isSecret);
}
