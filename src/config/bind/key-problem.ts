import type { ScalarType } from './key-type.js';
import type { ConversionProblem } from '../problem.js';
import type { Origin } from '../read/origin.js';
import type { Filled, Link } from '../read/placeholder.js';
import { from, type Problem, problem } from '../problem.js';
import { MASK, isSecretName, sanitizeUnresolved } from '../../kernel/redaction/secrets.js';
import type { ConfigSource, Entry } from '../read/source.js';

interface NamedKey {
  readonly name: string;
  readonly isSecret: boolean;
}

/** Reports a text that cannot be converted to the type of its key; `display` is the sanitized text. */
export function conversionProblem(
  name: string,
  { expects }: ScalarType<unknown>,
  origin: Origin | undefined,
  display: string,
  { reason }: ConversionProblem,
  mayBeRemoved = false,
): Problem {
  const otherwise = mayBeRemoved ? ', or remove it' : '';
  return problem(`The value of ${name} cannot be used`, `Set ${name} to ${expects}${otherwise}.`, {
    Property: name,
    Value: `"${display}"`,
    Origin: from(origin),
    Reason: reason,
  });
}

/** Reports a text with placeholders that cannot be resolved. */
export function placeholderProblem(
  { name, isSecret }: NamedKey,
  entry: Entry,
  { kind, chain }: Exclude<Filled, { kind: 'filled' }>,
): Problem {
  const facts = { Property: name, Value: `"${sanitizeUnresolved(entry.text, isSecret)}"`, Origin: from(entry.origin) };
  const links = shownLinks(chain, isSecret);
  const path = links.map((link) => `\${${link}}`).join(' -> ');
  switch (kind) {
    case 'excessive':
      return problem(`${name} has too many placeholders`, 'Write the value with fewer placeholders.', {
        ...facts,
        Reason: 'too many placeholders, or nested too deeply',
      });
    case 'circular':
      return problem(
        `The placeholders of ${name} are circular`,
        `Give one of ${[...new Set(links)].join(', ')} a value that does not need the others.`,
        { ...facts, Reason: `circular: ${path}` },
      );
    case 'missing':
      return missingProblem(name, facts, links.at(-1) ?? '', links.length > 1 ? path : undefined);
  }
}

function missingProblem(
  of: string,
  facts: Readonly<Record<string, string | undefined>>,
  name: string,
  path?: string,
): Problem {
  if (name === MASK) {
    return problem(
      `A placeholder of ${of} has no value`,
      'Set the key or variable in the placeholder, or write \\${ for a literal ${.',
      { ...facts, Reason: 'nothing sets it; its name is not shown, it may be part of a secret' },
    );
  }
  const action = isSecretName(name)
    ? `Set ${name} as an environment variable, not in a file.`
    : `Set ${name} (as an environment variable, an argument or a key), or write a default: \${${name}:…}.`;
  return problem(`The placeholder \${${name}} of ${of} has no value`, action, {
    ...facts,
    Reason: `nothing sets ${name}${path === undefined ? '' : `, needed by ${path}`}`,
  });
}

/** Names of placeholders; one that may be a piece of a secret, such as the `ss` of `pa${ss}word`, is masked. */
function shownLinks(chain: readonly Link[], isSecret: boolean): readonly string[] {
  let isInSecret = isSecret;
  return chain.map(({ name, isWholeText, through }) => {
    const isShown = (isWholeText || !isInSecret) && !through.some(isSecretName);
    isInSecret ||= isSecretName(name);
    return isShown ? name : MASK;
  });
}

/** A sequence in which the element `hole` is missing; `others` are the sources below that have the list too. */
export function unboundElementsProblem(
  { name, isSecret }: NamedKey,
  { source }: { readonly source: ConfigSource },
  entries: readonly Entry[],
  hole: number,
  others: readonly { readonly origin: Origin }[],
): Problem {
  const left = entries.slice(hole).map((entry) => ({ ...entry, index: entry.key.lastPart }));
  return problem(
    `Elements of the list ${name} are left unbound`,
    `Number the elements of ${name} from 0 without gaps, all of them in one place: the highest source supplies the whole list.`,
    {
      Property: left.map(({ index }) => `${name}[${index}]`).join(', '),
      Value: left.map(({ text }) => `"${sanitizeUnresolved(text, isSecret)}"`).join(', '),
      Origin: left.map(({ origin }) => from(origin)).join(', '),
      Reason: `left unbound: ${name}[${hole}] is missing in ${source.name}`,
      'Also set at': others.length > 0 ? others.map(({ origin }) => from(origin)).join(', ') : undefined,
    },
  );
}
