import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exposureFacts, MAKE_PRIVATE } from '../../kernel/files/secret-file.js';
import type { FileAccess } from '../../kernel/files/whole-file.js';
import { KeyName } from '../names/key-name.js';
import { from } from '../problem.js';
import { type Facts, type RuleProblem, ruleProblem, Rule, type RuleFacts, type WrittenEntry } from './rule.js';
import { MASK, sanitizeUnresolved } from '../../kernel/redaction/secrets.js';

/**
 * Rule 2: a secret is a `${NAME}` reference to the environment, or to a file that is private to the service; never an
 * argument, which every user of the machine can see.
 */
export const secretsByReference = new Rule('2', (facts) => {
  const { entries } = facts;
  const { workingFolder } = facts.inputs;
  const parts = partsOfSecrets(entries, textsInVariables(facts));
  return [
    ...entries.flatMap((entry) => validate(entry, parts, workingFolder)),
    ...exposed(join(workingFolder, '.env'), {}),
  ];
});

function validate(
  entry: WrittenEntry,
  parts: ReadonlySet<WrittenEntry>,
  workingFolder: string,
): readonly RuleProblem[] {
  const { spelled, text, origin, isInFile, isRegistered, isSecret } = entry;
  const secret = { Property: spelled, Value: `"${MASK}"`, Origin: from(origin) };
  if (isInFile && passwordInUrl(text)) {
    return breach('A URL contains a password', 'Set it by a key of its own, or write ${NAME} for it.', {
      ...secret,
      Value: `"${sanitizeUnresolved(text, isSecret)}"`,
    });
  }
  if (!parts.has(entry) || isReference(text)) return [];
  if (origin.kind !== 'position') {
    const action = `Set ${spelled} in the environment, or in a file that no other user can read.`;
    return breach('Every user of the machine can see a secret in an argument', action, secret);
  }
  const { resource } = origin;
  if (resource.kind === 'classpath') {
    return breach('The package contains a secret', `Set ${spelled} outside, best in the environment.`, secret);
  }
  if (resource.kind === 'variable') return [];
  if (isRegistered && isSecret && !origin.isWholeFile) {
    const action = 'Write ${NAME} for it, and set NAME in the environment.';
    return breach('A file contains a secret in plain text', action, secret);
  }
  return exposed(resolve(workingFolder, resource.path), secret, resource.access);
}

/** Entries that are secrets by name, and all that their placeholders and those of the `variables` lead to. */
function partsOfSecrets(entries: readonly WrittenEntry[], variables: readonly string[]): ReadonlySet<WrittenEntry> {
  const parts = new Set<WrittenEntry>();
  const open = [...entries.filter(({ isSecret }) => isSecret), ...variables.flatMap((text) => namedIn(text, entries))];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    if (parts.has(entry)) continue;
    parts.add(entry);
    open.push(...namedIn(entry.text, entries));
  }
  return parts;
}

/** Texts of variables that are secrets; they may be references to a file. */
function textsInVariables({ states }: RuleFacts): readonly string[] {
  return states
    .filter(({ isSecret, definition }) => isSecret && definition.facts.mayBeFilePath !== true)
    .flatMap(({ assignments }) => assignments.filter(({ source }) => source.kind === 'environment'))
    .flatMap(({ content }) => ('text' in content ? [content.text] : content.map(({ text }) => text)));
}

/** The entries that the placeholders of a text name: one entry, or the elements of a sequence. */
function namedIn(text: string, entries: readonly WrittenEntry[]): readonly WrittenEntry[] {
  const names = Array.from(text.matchAll(/\$\{([^${}:]+)/g), ([, name = '']) => name);
  if (names.length === 0) return [];
  const keys = new Set(names.map((name) => KeyName.parse(name).uniform));
  return entries.filter(({ spelled, key: { uniform } }) => {
    return names.includes(spelled) || keys.has(uniform) || keys.has(uniform.replace(/(?:\.\d+)+$/, ''));
  });
}

/** True if a URL contains a password that is not a placeholder. */
function passwordInUrl(text: string): boolean {
  const written = text.replaceAll(/\$\{[^{}]*\}/g, '');
  return /:\/\/[^\s/?#@:]*:[^\s/?#]+@|[?&;](?:pass|password|secret|token)=[^&;\s]/i.test(written);
}

/** True for an empty text, and for a placeholder without a default, which would be the secret. */
function isReference(text: string): boolean {
  return text === '' || /^\$\{[^:{}]+:?\}$/.test(text);
}

/** Checks the file that was read, if `access` is known, otherwise the file that is at the path now. */
function exposed(path: string, facts: Facts, access?: FileAccess): readonly RuleProblem[] {
  let found = access;
  try {
    found ??= statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code;
    return breach('The mode of a file with secrets cannot be read', `Correct or remove ${path}.`, {
      ...facts,
      File: path,
      Reason: reason,
    });
  }
  const exposure = found && exposureFacts(found);
  if (!exposure) return [];
  return breach('A file with secrets is not private', MAKE_PRIVATE, { ...facts, File: path, ...exposure });
}

function breach(what: string, action: string, facts: Facts): readonly RuleProblem[] {
  return [ruleProblem({ what, action }, facts)];
}
