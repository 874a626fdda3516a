import { dirname, join } from 'node:path';

/**
 * A command of this installation, as a shell understands it in any folder: with the Node that runs, and in the folder of this
 * process, on which relative paths depend.
 */
export function ownCommand(command: string): string {
  const cli = join(dirname(process.argv[1] ?? ''), 'cli.js');
  return `cd ${quoted(process.cwd())} && ${quoted(process.execPath)} ${quoted(cli)} ${command}`;
}

function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
