import { type CommandFailure, failureOf } from './command-failure.js';
import { EXIT, type ExitCode } from './exit-code.js';

/** The lines that a command prints, or its failure. */
export type CommandResult = readonly string[] | CommandFailure;

/** Standard output and standard error of a command, by line. */
interface CommandOutput {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/** Dependencies of commands that work on services of the application. */
export interface CommandParts<Services> extends CommandOutput {
  readonly open: () => Promise<Services>;
}

/** Runs one command on its services. */
export type RunCommand<Services> = (command: (services: Services) => Promise<CommandResult>) => Promise<void>;

interface Closable {
  readonly close: () => Promise<void>;
}

/** Opens the services for each command, prints its result, closes them, and sets the exit code by `exit`. */
export function commandRunner<Services extends Closable>(
  parts: CommandParts<Services>,
  exit: (code: ExitCode) => void,
): RunCommand<Services> {
  return async (command) => {
    exit(report(parts, await resultOf(parts.open, command)));
  };
}

async function resultOf<Services extends Closable>(
  open: () => Promise<Services>,
  command: (services: Services) => Promise<CommandResult>,
): Promise<CommandResult> {
  let services: Services | undefined;
  try {
    services = await open();
    return await command(services);
  } catch (error) {
    return failureOf(error);
  } finally {
    await services?.close();
  }
}

function report({ print, printError }: CommandOutput, result: CommandResult): ExitCode {
  const failure = 'message' in result ? result : undefined;
  for (const line of 'message' in result ? (result.lines ?? []) : result) print(line);
  if (!failure) return EXIT.done;
  printError(failure.message);
  return failure.exitCode ?? EXIT.failed;
}
