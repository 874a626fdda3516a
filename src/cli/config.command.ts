import type { Command } from 'commander';
import { Configuration, type ConfigurationInputs, readConfiguration } from '../config/configuration.js';
import { failureReport, printable } from '../config/failure-report.js';
import { KeyRegistry } from '../config/key-registry.js';
import type { PropertiesClass } from '../config/properties-class.js';
import type { Finding } from '../config/rule.js';
import { type View, viewOfAll, viewOfKey } from './config-view.js';
import { configurationReference } from './configuration-reference.js';

/** What the commands need from outside. */
export interface ConfigCommandParts {
  readonly classes: readonly PropertiesClass[];
  readonly inputs: ConfigurationInputs;
  readonly rules: (configuration: Configuration, inputs: ConfigurationInputs) => readonly Finding[];
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** `config get`, `config list`, `config check` and `config docs`; each sets the exit code by `exit`. */
export function addConfigCommand(program: Command, parts: ConfigCommandParts, exit: (code: number) => void): void {
  const config = program.command('config').description('show and check the configuration the service would start with');

  config
    .command('get')
    .description('value in force of one key, its origin, and every value it overrides; a prefix shows its children')
    .argument('<key>', 'in any spelling')
    .action((key: string) => {
      exit(print(parts, (reading) => viewOfKey(reading.environment, reading.registry, key)));
    });

  config
    .command('list')
    .description('all keys with their values and origins')
    .argument('[prefix]')
    .option('--changed', 'only keys set outside the packaged files')
    .action((prefix: string | undefined, { changed }: { changed?: boolean }) => {
      exit(print(parts, (reading) => viewOfAll(reading.environment, reading.registry, { prefix, changed })));
    });

  config
    .command('check')
    .description("the specification's configuration rules, one line per breach")
    .action(() => {
      exit(check(parts));
    });

  config
    .command('docs')
    .description('the reference of all keys, in Markdown')
    .action(() => {
      parts.print(configurationReference(new KeyRegistry(parts.classes)).trimEnd());
      exit(0);
    });
}

function print(parts: ConfigCommandParts, view: (reading: ReturnType<typeof readConfiguration>) => View): number {
  const reading = readConfiguration(parts.classes, parts.inputs);
  const { lines, isFound } = view(reading);
  for (const line of lines) (isFound ? parts.print : parts.complain)(line);
  if (reading.problems.length > 0) {
    parts.complain(`The configuration has problems, the service would not start; see: config check`);
  }
  return isFound ? 0 : 1;
}

function check({ classes, inputs, rules, print: say, complain }: ConfigCommandParts): number {
  const { environment, registry, problems, warnings, instances } = readConfiguration(classes, inputs);
  if (problems.length > 0) {
    complain(failureReport(problems, 'THE CONFIGURATION CANNOT BE USED'));
    return 1;
  }
  const findings = rules(new Configuration(environment, registry, warnings, instances), inputs);
  for (const warning of warnings) say(`warning: ${warning}`);
  for (const { rule, severity, text } of findings) say(printable(`${severity}: rule ${rule}: ${text}`));
  const breaches = findings.filter(({ severity }) => severity !== 'warning').length;
  say(breaches === 0 ? 'All configuration rules hold.' : `${breaches} ${breaches === 1 ? 'breach' : 'breaches'}.`);
  return breaches === 0 ? 0 : 1;
}
