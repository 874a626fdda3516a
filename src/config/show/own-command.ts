import { dirname, join } from 'node:path';
import { sanitizeUnresolved } from '../../kernel/redaction/secrets.js';
import type { KeyRegistry } from '../names/key-registry.js';
import type { Environment } from '../read/environment.js';
import type { Entry, SourceKind } from '../read/source.js';
import { printable } from './failure-report.js';
import { Sanitizer } from './sanitizer.js';

/** The prefix of a key in a command line, by the source that sets it; the command reads files by itself. */
const PREFIXES: Partial<Record<SourceKind, string>> = {
  'command-line': '--',
  'system-properties': '-D',
  environment: '',
};

/** Arguments and variables that set the keys of this process, for a shell. */
interface Settings {
  readonly args: readonly string[];
  readonly variables: readonly string[];
  /** Names of the omitted arguments and variables. */
  readonly missing: readonly string[];
}

/**
 * Writes the advice to run a command of this installation with the configuration of this process: with its Node, working folder,
 * arguments and variables, for a shell in any folder. Arguments and variables that may be secret are named without their values.
 */
export function ownCommand(command: string, environment: Environment, registry: KeyRegistry): string {
  const { args, variables, missing } = settingsOf(environment, registry);
  const cli = join(dirname(process.argv[1] ?? ''), 'cli.js');
  const words = [...(variables.length === 0 ? [] : ['env', ...variables]), process.execPath, cli, ...args];
  const lacks =
    missing.length === 0 ? '' : ` (add what it needs of ${missing.join(', ')}: secret values are not shown here)`;
  return `Run "cd ${quoted(process.cwd())} && ${words.map(quoted).join(' ')} ${command}"${lacks}`;
}

function settingsOf(environment: Environment, registry: KeyRegistry): Settings {
  const sanitizer = new Sanitizer(environment, registry);
  const isShown = (entry: Entry): boolean =>
    !sanitizer.hides(entry) &&
    sanitizeUnresolved(entry.text, false) === entry.text &&
    // A report shows such characters in another form.
    printable(entry.text) === entry.text;
  const settings = { args: [] as string[], variables: [] as string[], missing: [] as string[] };
  const inserted = insertedEntries(environment);
  for (const { kind, entries } of environment.sources) {
    const prefix = PREFIXES[kind];
    if (prefix === undefined) continue;
    const isVariable = kind === 'environment';
    for (const entry of entries) {
      // Other variables belong to other programs.
      if (isVariable && !registry.find(entry.key) && !inserted.has(entry)) continue;
      const name = prefix + entry.spelled;
      if (!isShown(entry)) settings.missing.push(printable(name));
      else (isVariable ? settings.variables : settings.args).push(`${name}=${entry.text}`);
    }
  }
  return settings;
}

/** Entries that placeholders in the values of others insert. */
function insertedEntries(environment: Environment): ReadonlySet<Entry> {
  const texts = environment.sources.flatMap(({ entries }) => entries.map(({ text }) => text));
  const names = new Set(texts.flatMap((text) => environment.fillForDisplay(text).through));
  return new Set(
    environment.sources.flatMap((source) => [...names].flatMap((name) => environment.entriesNamed(source, name))),
  );
}

function quoted(word: string): string {
  return /^[\w./@:+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
