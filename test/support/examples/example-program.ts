import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KeptProcess } from '../programs/kept-process.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import { waitUntil } from '../runner/wait-until.js';

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));
/** A Java program on a busy machine. */
const START_LIMIT_MILLIS = 90_000;

/** The path of a file or folder of the examples. */
export function exampleFile(...names: readonly string[]): string {
  return join(EXAMPLES, ...names);
}

/** Variables that every example reads. */
export interface ExampleSettings {
  readonly ISSUER: string;
  readonly CLIENT_ID: string;
  readonly CLIENT_SECRET: string;
  readonly PORT: string;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts an example, and waits until it answers at `url`. */
export async function startExample(
  url: string,
  { command, args, env = {} }: Command,
  settings: ExampleSettings,
): Promise<KeptProcess> {
  const folder = temporaryFolder('example');
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const started = await KeptProcess.start(command, args, {
    env: { ...inherited, ...settings, ...env },
    cwd: folder,
    folder,
  });
  await waitUntil(
    `${url} answers`,
    () => {
      if (started.hasEnded) throw new Error(`${command} ended:\n${started.stdout}${started.stderr}`);
      return fetch(url, { redirect: 'manual' }).then(
        ({ status }) => status < 500,
        () => false,
      );
    },
    { limitMillis: START_LIMIT_MILLIS, everyMillis: 50 },
  );
  return started;
}
