import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const KEEPER = fileURLToPath(new URL('keeper.mjs', import.meta.url));

export interface KeptOptions {
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A folder that is removed when the command has ended. */
  readonly folder?: string;
}

export interface Exit {
  /** Null when a signal ended the command. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

type Keeper = ChildProcessByStdio<Writable, Readable, Readable>;
/** The events that `keeper.mjs` writes, one per line. */
type Report = { readonly pid: number } | { readonly failure: string } | Exit;

/** A command that cannot outlive the test process, not even one that is killed. */
export class KeptProcess {
  /** Resolves when the command has ended and all its output has arrived. */
  readonly exit: Promise<Exit>;
  private out = '';
  private err = '';
  private ended = false;

  private constructor(
    readonly pid: number,
    private readonly keeper: Keeper,
    reports: AsyncIterator<string>,
  ) {
    keeper.stdout.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    keeper.stderr.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.exit = this.untilExit(reports);
  }

  static async start(command: string, args: readonly string[], options: KeptOptions): Promise<KeptProcess> {
    const keeper = spawnKeeper([options.folder ?? '', command, ...args], options);
    const reports = createInterface(keeper.stdio[3] as Readable)[Symbol.asyncIterator]();
    const first = await nextReport(reports);
    if ('pid' in first) return new KeptProcess(first.pid, keeper, reports);
    throw new Error('failure' in first ? first.failure : `${command} ended at once`);
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
    this.keeper.stdin.end();
    return this.exit;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.ended) process.kill(this.pid, signal);
  }

  private async untilExit(reports: AsyncIterator<string>): Promise<Exit> {
    const closed = once(this.keeper, 'close');
    const last = await nextReport(reports);
    this.ended = true;
    await closed;
    if ('code' in last) return last;
    throw new Error('failure' in last ? last.failure : 'the keeper reported a second start');
  }
}

/** Removes the folder when this process ends in any way, or at once when the returned function is called. */
export function keepFolder(folder: string): () => Promise<void> {
  const keeper = spawnKeeper([folder], { env: {}, cwd: '/' });
  return async () => {
    keeper.stdin.end();
    await once(keeper, 'close');
  };
}

function spawnKeeper(args: readonly string[], { env, cwd }: KeptOptions): Keeper {
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const;
  // A separate process group: Ctrl-C ends the tests, and their end ends the command.
  return spawn(process.execPath, [KEEPER, ...args], { cwd, env: { ...env }, detached: true, stdio: [...stdio] });
}

async function nextReport(reports: AsyncIterator<string>): Promise<Report> {
  const next = await reports.next();
  return next.done ? { failure: 'the keeper ended without a word' } : (JSON.parse(next.value) as Report);
}
