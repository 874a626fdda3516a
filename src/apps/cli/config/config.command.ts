import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { ConfigurationInputs, ConfigurationReading } from '../../../config/configuration.js';
import { failureReport, printable } from '../../../config/show/failure-report.js';
import { KeyRegistry } from '../../../config/names/key-registry.js';
import type { PropertiesClass } from '../../../config/bind/properties-class.js';
import { lineOf } from '../../../config/problem.js';
import type { LocatedRuleProblem } from '../../../config/check/rule.js';
import { type ConfigView, viewOfAll, viewOfKey } from './config-view.js';
import { configurationReference } from './configuration-reference.js';
import { packagedValues } from './packaged-values.js';
import { EXIT, type ExitCode } from '../exit-code.js';

/** Dependencies of the commands. */
export interface ConfigCommandParts {
  readonly classes: readonly PropertiesClass[];
  readonly inputs: ConfigurationInputs;
  readonly read: () => ConfigurationReading;
  readonly rules: (
    reading: ConfigurationReading,
    inputs: ConfigurationInputs,
  ) => Promise<readonly LocatedRuleProblem[]>;
  /** Rule 4, with a connection to the database server if `asksServer`. */
  readonly serverRule: (
    reading: ConfigurationReading,
    inputs: ConfigurationInputs,
    asksServer: boolean,
  ) => Promise<{ readonly problems: readonly LocatedRuleProblem[]; readonly isComplete: boolean }>;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/** `config get`, `config list`, `config check` and `config docs`; each sets the exit code by `exit`. */
export function addConfigCommand(program: Command, parts: ConfigCommandParts, exit: (code: ExitCode) => void): void {
  const config = program.command('config').description('shows and checks the configuration of the service');

  config
    .command('get')
    .description(
      'shows the effective value of a key, its origin and the values it overrides; a prefix lists its children',
    )
    .argument('<key>', 'in any spelling')
    .action((key: string) => {
      exit(print(parts, (reading) => viewOfKey(reading.environment, reading.registry, key)));
    });

  config
    .command('list')
    .description('lists all keys with their values and origins')
    .argument('[prefix]')
    .option('--changed', 'only keys set outside the packaged files')
    .action((prefix: string | undefined, { changed }: { changed?: boolean }) => {
      exit(print(parts, (reading) => viewOfAll(reading.environment, reading.registry, { prefix, changed })));
    });

  config
    .command('check')
    .description('checks the configuration rules and prints one line per breach')
    .option('--database', 'connects to the database server and compares the pool with its limits (rule 4)')
    .action(async ({ database = false }: { database?: boolean }) => {
      exit(await check(parts, database));
    });

  config
    .command('docs')
    .description('prints the reference of all keys in Markdown')
    .option('--output <folder>', 'writes its pages to this folder instead')
    .action(({ output }: { output?: string }) => {
      const { classes, inputs } = parts;
      const pages = configurationReference(new KeyRegistry(classes), packagedValues(classes, inputs.packageFolder));
      if (output === undefined) parts.print([...pages.values()].join('\n').trimEnd());
      else writePages(pages, output);
      exit(EXIT.done);
    });
}

function writePages(pages: ReadonlyMap<string, string>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
}

function print(parts: ConfigCommandParts, view: (reading: ConfigurationReading) => ConfigView): ExitCode {
  const reading = parts.read();
  const { lines, isFound } = view(reading);
  for (const line of lines) (isFound ? parts.print : parts.printError)(line);
  if (reading.problems.length > 0) {
    parts.printError(`The configuration has problems and the service would not start; run: config check`);
  }
  return isFound ? EXIT.done : EXIT.notFound;
}

const RULE_4_NEEDS_SERVER =
  'note: rule 4 was not checked: it compares the pool with limits of the database server; run: config check --database';

/** Prints errors as one report, like startup, and other problems as one line each. */
async function check(
  { inputs, read, rules, serverRule, print: say, printError }: ConfigCommandParts,
  asksServer: boolean,
): Promise<ExitCode> {
  const reading = read();
  const ofServer = await serverRule(reading, inputs, asksServer);
  const problems = [...(await rules(reading, inputs)), ...ofServer.problems];
  const errors = [...reading.problems, ...problems.filter(({ severity }) => severity === 'error')];
  if (errors.length > 0) printError(failureReport(errors, 'THE CONFIGURATION CANNOT BE USED'));
  for (const warning of reading.warnings) say(`warning: ${warning}`);
  for (const { severity, rule, ...found } of problems) {
    if (severity !== 'error') say(printable(`${severity}: rule ${rule}: ${lineOf(found)}`));
  }
  if (!asksServer && !ofServer.isComplete) say(RULE_4_NEEDS_SERVER);
  const breaches = problems.filter(({ severity }) => severity === 'breach').length;
  if (breaches > 0) say(`${breaches} ${breaches === 1 ? 'breach' : 'breaches'}.`);
  else if (errors.length === 0) say(`All ${ofServer.isComplete ? '' : 'other '}configuration rules hold.`);
  return breaches + errors.length === 0 ? EXIT.done : EXIT.configuration;
}
