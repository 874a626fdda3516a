import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Exit, KeptProcess } from './kept-process.js';

const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));
const END = /\0end of run (\d+)\0$/;
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
    return this.output?.out ?? this.host.stdout.slice(this.from.out).replace(END, '');
  }

  get stderr(): string {
    return this.output?.err ?? this.host.stderr.slice(this.from.err).replace(END, '');
  }

  get hasEnded(): boolean {
    return this.output !== undefined;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.hasEnded) this.host.signal(signal);
  }

  private async untilEnd(): Promise<Exit> {
    const { host } = this;
    const ended = new Promise<Exit>((done) => {
      host.onOutput = () => {
        const [, code] = END.exec(lastOf(host.stdout, this.from.out)) ?? [];
        const isComplete = code !== undefined && END.test(lastOf(host.stderr, this.from.err));
        if (isComplete) done({ code: Number(code), signal: null });
      };
    });
    const exit = await Promise.race([ended, host.exit]);
    host.onOutput = undefined;
    this.output = { out: this.stdout, err: this.stderr };
    if (!host.hasEnded) idle.push(host);
    return exit;
  }
}

/** Enough for the end of a run, without the output of an earlier one. */
function lastOf(output: string, from: number): string {
  return output.slice(Math.max(from, output.length - 40));
}
