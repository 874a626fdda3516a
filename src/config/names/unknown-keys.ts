import leven from 'leven';
import type { Environment } from '../read/environment.js';
import { KeyName, variableForms } from './key-name.js';
import type { KeyRegistry } from './key-registry.js';
import { from, type Problem, problem } from '../problem.js';
import { mayContainSecret, mayBeSecretName, isSecretName, sanitizeUnresolved } from '../../kernel/redaction/secrets.js';
import { INLINE_JSON, keyReadFrom } from '../read/variables.js';

/** Unknown keys of files and arguments in sections that accept only known keys. */
export function unknownKeys(environment: Environment, registry: KeyRegistry): readonly Problem[] {
  return environment.sources
    .filter(({ kind }) => kind !== 'environment')
    .flatMap(({ entries }) => entries)
    .filter(({ key, text }) => {
      if (!registry.isOwned(key) || registry.find(key)) return false;
      // An empty section, such as `server:` with everything below it commented out, is allowed.
      return text !== '' || registry.below(key).length === 0;
    })
    .map(({ key, spelled, text, origin }) => {
      const near = registry.nearest(spelled);
      const facts = {
        Property: spelled,
        Value: `"${shownText(registry, { spelled, text }, near)}"`,
        Origin: from(origin),
      };
      const [below] = registry.below(key);
      if (below) {
        return problem(
          `${spelled} is a section and takes no value`,
          `Set a key below it, such as ${below.name}.`,
          facts,
        );
      }
      return problem(
        `The key ${spelled} is unknown`,
        `${near ? `Did you mean ${near}? ` : ''}Correct or remove ${spelled}; app.config.unknown-keys=warn allows it.`,
        facts,
      );
    });
}

/** Shows the value of an unknown key only if neither its name nor the similar name may be that of a secret. */
function shownText(
  registry: KeyRegistry,
  { spelled, text }: { readonly spelled: string; readonly text: string },
  near: string | undefined,
): string {
  const meant = near === undefined ? undefined : registry.find(KeyName.parse(near));
  const isPlain =
    meant?.isSecret === false && ![spelled, near ?? ''].some((name) => isSecretName(name) || mayBeSecretName(name));
  return sanitizeUnresolved(text, !isPlain || mayContainSecret(text));
}

/** First parts of keys that are long enough to be recognised by similarity. */
const FIRST_PARTS = ['server', 'management', 'logging', 'mapper'];
/** Maximum edit distance from a key; a variable with a larger one probably belongs to another program. */
const MAX_DIFFERENCE = 2;

/** Warns about environment variables that look like keys but are not; other programs may own such names. */
export function unknownVariables(environment: Environment, registry: KeyRegistry): readonly string[] {
  return environment.sources
    .filter(({ kind }) => kind === 'environment')
    .flatMap(({ entries }) => entries)
    .map(({ spelled }) => ({ spelled, key: keyReadFrom(spelled) }))
    .filter(({ spelled }) => spelled !== INLINE_JSON && registry.keyOfVariable(spelled) === undefined)
    .flatMap(({ key, spelled }) => {
      const isOwned = key.length > 1 && registry.isOwned(key);
      const near = isOwned ? registry.nearest(String(key)) : resembledKey(spelled, key, registry);
      if (!isOwned && near === undefined) return [];
      const hint = near ? `; did you mean ${variableForms(near.replaceAll(/<([^>]*)>/g, '$1'))[0] ?? near}?` : '';
      return [`The environment variable ${spelled} sets no key of this service${hint}`];
    });
}

/** The key that a variable resembles although its first part is wrong, as in `MANAGMENT_SERVER_PORT` and `SERVERPORT`. */
function resembledKey(spelled: string, key: KeyName, registry: KeyRegistry): string | undefined {
  const first = key.uniformPart(0);
  if (spelled.startsWith('_')) return undefined;
  if (first === 'spring') return registry.find(KeyName.parse(`app.${key.textFrom(1)}`))?.name;
  const isSimilar = FIRST_PARTS.some((part) => leven(first, part) <= MAX_DIFFERENCE || first.startsWith(part));
  if (!isSimilar && !first.startsWith('app')) return undefined;
  const near = registry.nearest(String(key));
  if (near === undefined) return undefined;
  const [known, wrong] = [near, String(key)].map((name) => name.toLowerCase().replaceAll(/[^a-z\d]/g, ''));
  return leven(known ?? '', wrong ?? '') <= MAX_DIFFERENCE ? near : undefined;
}

/** Warns about keys that two variables set, and names the variable in force. */
export function duplicateVariables(environment: Environment, registry: KeyRegistry): readonly string[] {
  return environment.sources
    .filter(({ kind }) => kind === 'environment')
    .flatMap((source) => {
      const known = source.entries.filter(({ key, spelled }) => spelled !== 'TZ' && registry.find(key));
      return [...Map.groupBy(known, ({ key }) => key.uniform).values()]
        .filter((entries) => entries.length > 1)
        .map((entries) => {
          const names = entries.map(({ spelled }) => spelled).join(' and ');
          return `The environment variables ${names} set the same key: ${entries[0]?.spelled ?? ''} takes precedence`;
        });
    });
}
