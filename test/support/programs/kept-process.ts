import { type ChildProcessByStdio, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const KEEPER = fileURLToPath(new URL('keeper.mjs', import.meta.url));
const GRACE_MILLIS = 10_000;
/** With growing pauses, 14 seconds: another process may still write to the folder. */
const REMOVAL = { recursive: true, force: true, maxRetries: 16 };

export interface KeptOptions {
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A folder that is removed when the command has ended. */
  readonly folder?: string;
  /** Gives the command file descriptor 3, to which `send` writes. */
  readonly hasControl?: boolean;
}

export interface Exit {
  /** Null when a signal ended the command. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Keeper = ChildProcessByStdio<Writable, null, null>;

/** A command that cannot outlive the test process, not even one that is killed. */
export class KeptProcess {
  /** Resolves when the command has ended and all its output has arrived. */
  readonly exit: Promise<Exit>;
  /** Called after each piece of output. */
  onOutput: (() => void) | undefined;
  private readonly child: Child;
  private out = '';
  private err = '';
  private ended = false;

  private constructor(child: Child, folder: string | undefined) {
    this.child = child;
    // A line to a command that has ended; `exit` tells of the end.
    (child.stdio[3] as Writable | null)?.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
      this.onOutput?.();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
      this.onOutput?.();
    });
    this.exit = this.untilExit(folder);
  }

  static async start(command: string, args: readonly string[], options: KeptOptions): Promise<KeptProcess> {
    const { env, cwd, folder, hasControl = false } = options;
    const stdio = ['ignore', 'pipe', 'pipe', hasControl ? 'pipe' : 'ignore'] satisfies StdioOptions;
    // A separate process group: Ctrl-C ends the tests, and their end ends the command.
    const child = spawn(command, args, { cwd, env: { ...env }, detached: true, stdio }) as Child;
    if (child.pid !== undefined) keep(child.pid);
    if (folder !== undefined) keep(folder);
    await once(child, 'spawn');
    return new KeptProcess(child, folder);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Everything written to standard output so far. */
  get stdout(): string {
    return this.out;
  }

  get stderr(): string {
    return this.err;
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  /** Sends a signal and waits for the end of the command; kills it after ten seconds. */
  async stop(): Promise<Exit> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => {
      this.signal('SIGKILL');
    }, GRACE_MILLIS);
    const exit = await this.exit;
    clearTimeout(timer);
    return exit;
  }

  /** Writes a line to file descriptor 3 of the command. */
  send(line: string): void {
    (this.child.stdio[3] as Writable).write(`${line}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  private async untilExit(folder: string | undefined): Promise<Exit> {
    const [code, signal] = (await once(this.child, 'close')) as [number | null, NodeJS.Signals | null];
    this.ended = true;
    release(this.pid);
    if (folder !== undefined) await removeKept(folder);
    return { code, signal };
  }
}

/** Removes the folder when this process ends in any way, or at once when the returned function is called. */
export function keepFolder(folder: string): () => Promise<void> {
  keep(folder);
  return () => removeKept(folder);
}

async function removeKept(folder: string): Promise<void> {
  await rm(folder, REMOVAL);
  release(folder);
}

let keeper: Keeper | undefined;

/** Tells the keeper of this process, which the first caller starts, what must not outlive it. */
function keep(entry: number | string): void {
  keeper ??= startKeeper();
  keeper.stdin.write(`${JSON.stringify({ keep: entry })}\n`);
}

function release(entry: number | string): void {
  keeper?.stdin.write(`${JSON.stringify({ release: entry })}\n`);
}

function startKeeper(): Keeper {
  const started = spawn(process.execPath, [KEEPER], {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // It must not keep this process alive.
  started.unref();
  (started.stdin as unknown as { unref(): void }).unref();
  return started;
}
