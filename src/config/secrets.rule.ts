import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KeyName } from './key-name.js';
import { originText } from './origin.js';
import type { Finding, Rule, WrittenEntry } from './rule.js';

/**
 * Rule 2: a secret is a `${NAME}` reference to the environment, or to a file that is nobody else's to read; never an
 * argument, which every user of the machine can see.
 */
export const secretsByReference: Rule = ({ entries, inputs: { workingFolder } }) => {
  const parts = partsOfSecrets(entries);
  return [
    ...entries.flatMap((entry) => judged(entry, parts, workingFolder)),
    ...readableByOthers(join(workingFolder, '.env'), 'the file .env of the working folder'),
  ];
};

function judged(entry: WrittenEntry, parts: ReadonlySet<WrittenEntry>, workingFolder: string): readonly Finding[] {
  const { spelled, text, origin, isInFile, isRegistered, isSecret } = entry;
  const place = `${spelled} (${originText(origin)})`;
  if (isInFile && passwordInUrl(text)) {
    return [breach(`${place}: a password inside a URL, use a key of its own or write \${NAME}`)];
  }
  if (!parts.has(entry) || isReference(text)) return [];
  if (origin.kind !== 'position') return [breach(`${place}: every user of the machine can see a secret there`)];
  const { resource } = origin;
  if (resource.kind === 'classpath') return [breach(`${place}: a secret inside the package, keep it outside`)];
  if (resource.kind === 'variable') return [];
  if (isRegistered && isSecret && !origin.isWholeFile) {
    return [breach(`${place}: a secret in clear, write \${NAME} and set NAME in the environment`)];
  }
  return readableByOthers(resolve(workingFolder, resource.path), place);
}

/** Entries that are secrets by name, and all that their placeholders lead to. */
function partsOfSecrets(entries: readonly WrittenEntry[]): ReadonlySet<WrittenEntry> {
  const parts = new Set<WrittenEntry>();
  const open = entries.filter(({ isSecret }) => isSecret);
  for (let entry = open.pop(); entry; entry = open.pop()) {
    if (parts.has(entry)) continue;
    parts.add(entry);
    const names = Array.from(entry.text.matchAll(/\$\{([^${}:]+)/g), ([, name = '']) => name);
    const keys = new Set(names.map((name) => KeyName.parse(name).uniform));
    open.push(...entries.filter(({ spelled, key }) => names.includes(spelled) || keys.has(key.uniform)));
  }
  return parts;
}

/** True where something other than a placeholder stands for a password in a URL. */
function passwordInUrl(text: string): boolean {
  const written = text.replaceAll(/\$\{[^{}]*\}/g, '');
  return /:\/\/[^\s/?#@:]*:[^\s/?#]+@|[?&;](?:pass|password|secret|token)=[^&;\s]/i.test(written);
}

/** Nothing at all, or a placeholder without a default that would be the secret. */
function isReference(text: string): boolean {
  return text === '' || /^\$\{[^:{}]+:?\}$/.test(text);
}

function readableByOthers(path: string, what: string): readonly Finding[] {
  let mode: number | undefined;
  try {
    mode = statSync(path, { throwIfNoEntry: false })?.mode;
  } catch (cause) {
    return [
      breach(`${what}: its mode cannot be looked at, ${(cause as NodeJS.ErrnoException).code ?? 'no reason given'}`),
    ];
  }
  if (mode === undefined || (mode & 0o077) === 0) return [];
  return [breach(`${what}: holds secrets and has mode ${(mode & 0o777).toString(8)}, must be 600 or 400`)];
}

function breach(text: string): Finding {
  return { rule: '2', severity: 'breach', text };
}
