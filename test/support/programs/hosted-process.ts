import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Exit, KeptProcess } from './kept-process.js';

const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));
const END = /\0end of run (\d+)\0/;
/** Hosts that run nothing now. */
const idle: KeptProcess[] = [];

export interface HostedRun {
  /** A built script, such as `dist/main.js`. */
  readonly script: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** URL of the module that moves the clock. */
  readonly clock: string | undefined;
}

/** A run of a built script in a process that has run another one before, which saves most of the time of a start. */
export class HostedProcess {
  readonly exit: Promise<Exit>;
  private readonly host: KeptProcess;
  private readonly from: { readonly out: number; readonly err: number };
  /** All output; undefined until the end. */
  private output: { readonly out: string; readonly err: string } | undefined;
  /** True if a signal may still be on its way to the host when the run has ended. */
  private isHostInDanger = false;
  private isSignalled = false;

  private constructor(host: KeptProcess, run: HostedRun) {
    this.host = host;
    this.from = { out: host.stdout.length, err: host.stderr.length };
    const { script, args, env, cwd, clock } = run;
    host.send(JSON.stringify({ url: pathToFileURL(script).href, args, env, cwd, clock }));
    this.exit = this.untilEnd();
  }

  static async start(run: HostedRun): Promise<HostedProcess> {
    let host = idle.pop();
    while (host?.hasEnded) host = idle.pop();
    host ??= await KeptProcess.start(process.execPath, [HOST], { env: {}, cwd: run.cwd, hasControl: true });
    return new HostedProcess(host, run);
  }

  get pid(): number {
    return this.host.pid;
  }

  get stdout(): string {
    return this.output?.out ?? outputOf(this.host.stdout, this.from.out).text;
  }

  get stderr(): string {
    return this.output?.err ?? outputOf(this.host.stderr, this.from.err).text;
  }

  get hasEnded(): boolean {
    return this.output !== undefined;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.hasEnded) return;
    // The first signal ends the run, unless nothing can handle it.
    this.isHostInDanger = this.isSignalled || signal === 'SIGKILL';
    this.isSignalled = true;
    this.host.signal(signal);
  }

  private async untilEnd(): Promise<Exit> {
    const { host } = this;
    const ended = new Promise<Exit>((done) => {
      host.onOutput = () => {
        const { code } = outputOf(host.stdout, this.from.out);
        const isComplete = code !== undefined && outputOf(host.stderr, this.from.err).code !== undefined;
        if (isComplete) done({ code, signal: null });
      };
    });
    const exit = await Promise.race([ended, host.exit]);
    host.onOutput = undefined;
    this.output = { out: this.stdout, err: this.stderr };
    if (!host.hasEnded && !this.isHostInDanger) idle.push(host);
    return exit;
  }
}

/** Output of the run that began at `from`, and its exit code after its end. What the host writes later is not part of it. */
function outputOf(output: string, from: number): { readonly text: string; readonly code?: number } {
  const text = output.slice(from);
  const end = text.includes('\0') ? END.exec(text) : null;
  return end ? { text: text.slice(0, end.index), code: Number(end[1]) } : { text };
}
