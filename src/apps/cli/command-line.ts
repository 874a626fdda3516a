import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { EXIT, EXIT_CODES_HELP, type ExitCode } from './exit-code.js';
import { operatorActor, processOwner } from './operator.js';
import { addEventsCommand } from './events.command.js';
import { addBackupCommands, type RestoreServices } from './database/backup.command.js';
import { databaseFiles } from './database/database-files.js';
import { addKeysCommand } from './keys.command.js';
import { addMailCommand } from './mail.command.js';
import { addMigrateCommand, type MigrateServices } from './database/migrate.command.js';
import { addSamlCommand } from './saml.command.js';
import { addUsersCommand } from './users/users.command.js';
import { addConfigCommand } from './config/config.command.js';
import { SystemClock } from '../../kernel/clock/clock.js';
import { isConfigurationArgument } from '../../config/read/arguments.js';
import { failureReport, printable } from '../../config/show/failure-report.js';
import { ConfigurationFailure } from '../../config/problem.js';
import type { Configuration } from '../../config/configuration.js';
import { processInputs } from '../../config/read/process-inputs.js';
import { isCreating, requireDatabase, targetLine } from './command-target.js';
import type { CommandServices } from './command-services.js';
import { loadServiceConfiguration, readServiceConfiguration } from '../server/service-configuration.js';
import { checkRules, checkServerRule } from '../server/configuration-rules.js';
import { setCommandReason, withCommandContext } from '../../kernel/principal/command-context.js';
import { sanitizeUrls } from '../../kernel/redaction/secrets.js';
import { readBuildInfo } from '../../management/info/build-info.js';
import { PROPERTIES } from '../server/properties.js';

/** Runs one command; arguments that set keys (`--server.port=9000`, `-Dkey=value`) are taken out before. */
export async function runCommand(args: readonly string[] = process.argv.slice(2)): Promise<ExitCode> {
  // The reader of the output may close it early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
  });
  let exitCode: ExitCode = EXIT.done;
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const writeError = (text: string): void => void process.stderr.write(text);
  const printError = (line: string): void => {
    writeError(`${line}\n`);
  };
  const program = new Command('cli')
    .description('Commands of the login service. Every command accepts -Dkey=value and --key=value for configuration.')
    .version(readBuildInfo().build?.version ?? 'unknown')
    .addHelpText('after', EXIT_CODES_HELP)
    .exitOverride();
  try {
    const inputs = processInputs(args.filter(isConfigurationArgument));
    const exit = (code: ExitCode): void => {
      exitCode = code;
    };
    addConfigCommand(
      program,
      {
        classes: PROPERTIES,
        inputs,
        read: () => readServiceConfiguration(inputs),
        rules: checkRules,
        serverRule: checkServerRule,
        print,
        printError,
      },
      exit,
    );
    let loaded: Configuration | undefined;
    const configuration = (): Configuration => (loaded ??= loadServiceConfiguration(inputs));
    let isNew = false;
    /** The configuration for a command that works on the database. */
    const target = (): Configuration => {
      if (!isNew) requireDatabase(configuration());
      return configuration();
    };
    // The service is built only for the commands that need it.
    const services = async (): Promise<CommandServices> => {
      const { openCommandServices } = await import('./command-services.js');
      return openCommandServices({ configuration: target(), inputs, writeError, createsState: isNew });
    };
    const actor = operatorActor(processOwner(inputs.variables));
    program.hook('preAction', (_, command) => {
      isNew = isCreating(command);
      const line = targetLine(configuration);
      if (line !== undefined) printError(line);
      const { reason } = command.opts<{ readonly reason?: string }>();
      if (reason !== undefined) setCommandReason(reason);
    });
    addUsersCommand(
      program,
      { open: services, actor, input: process.stdin, output: process.stdout, print, printError },
      exit,
    );
    addKeysCommand(program, { open: services, actor, print, printError }, exit);
    addSamlCommand(program, { configuration, open: services, clock: new SystemClock(), print, printError }, exit);
    const migrations = async (): Promise<MigrateServices> => {
      const { openMigrateServices } = await import('./database/migrate-services.js');
      return openMigrateServices(target());
    };
    addMigrateCommand(program, { open: migrations, print, printError }, exit);
    addEventsCommand(program, { open: services, actor, output: process.stdout, print, printError }, exit);
    addMailCommand(program, { open: services, actor, print, printError }, exit);
    const restore = async (): Promise<RestoreServices> => {
      const { openRestoreServices } = await import('./database/restore-services.js');
      return openRestoreServices({ configuration: target(), inputs, writeError, createsState: isNew });
    };
    addBackupCommands(program, { ...databaseFiles(target), open: restore, actor, print, printError }, exit);
    listCommandsAfterErrors(program);
    const own = args.filter((argument) => !isConfigurationArgument(argument));
    await withCommandContext({}, () => program.parseAsync(own, { from: 'user' }));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof ConfigurationFailure) {
      printError(failureReport(error.problems, 'THE CONFIGURATION CANNOT BE USED'));
      return EXIT.configuration;
    }
    printError(
      `The command failed: ${printable(sanitizeUrls(error instanceof Error ? error.message : String(error)))}`,
    );
    return EXIT.failed;
  }
  return exitCode;
}

/** Errors of a command with sub-commands, such as an unknown one, end with the list of those that exist. */
function listCommandsAfterErrors(command: Command): void {
  if (command.commands.length === 0) return;
  command.showHelpAfterError(`Commands: ${command.commands.map((each) => each.name()).join(', ')}`);
  for (const each of command.commands) listCommandsAfterErrors(each);
}
