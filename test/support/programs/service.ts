import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from '../events/broker.js';
import { HostedProcess } from './hosted-process.js';
import { type Exit, KeptProcess } from './kept-process.js';
import { temporaryFolder } from './temporary-folder.js';
import { clockOf } from './moved-clock.js';
import { waitUntil } from '../runner/wait-until.js';

export interface ServiceOptions {
  /** Configuration arguments, e.g. `--app.profiles.active=prod`. */
  readonly args?: readonly string[];
  /** The whole environment except `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working folder; a fresh one by default. */
  readonly cwd?: string;
  /** Arguments of Node itself, before the script. */
  readonly nodeArguments?: readonly string[];
  /** The folder of another build of the service; this one by default. */
  readonly build?: string;
  /** Starts a process of its own, for tests about the start or the end of a process and about process-wide state. */
  readonly isAlone?: boolean;
}

export interface RunningService {
  /** URL without a trailing slash; empty without a main listener. */
  readonly url: string;
  /** Announced URL of a separate management listener. */
  readonly managementUrl: string | undefined;
  readonly cwd: string;
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  /** `LEVEL message` of each log line in the packaged format. */
  readonly log: readonly string[];
  /** The warnings and errors among them. */
  readonly troubles: readonly string[];
  /** Resolves when the service ends. */
  readonly exit: Promise<Exit>;
  /** Requests a graceful shutdown; resolves to the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
  /** Ends the service after a test in any way, so that its process can be used again where it obeys. */
  release(): Promise<void>;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly cwd: string;
}

/** The end of a command; `stderr` follows the first line, which says what the command works on. */
export interface EndedCommand extends Ended {
  readonly target: string;
}

/** The folder of this build. */
export const THIS_BUILD = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = 'dist/main.js';
const CLI = 'dist/cli.js';
/** Time for a graceful shutdown that no test is about. */
const RELEASE_MILLIS = 500;
const START_LIMIT_MILLIS = 30_000;

/** Starts the built service on a free port and waits until it is ready. */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const args = withFreePort(options.args ?? []);
  const { kept, cwd } = await start(MAIN, { ...options, args });
  const url = await waitUntil(
    'the service is ready',
    () => {
      if (kept.hasEnded) throw new Error(`The service ended instead of starting:\n${kept.stdout}${kept.stderr}`);
      if (kept.stdout.includes('ready without a listener')) return '';
      return announced(kept.stdout).find(({ isManagement }) => !isManagement)?.url;
    },
    { limitMillis: START_LIMIT_MILLIS },
  );
  return {
    url,
    get managementUrl() {
      return announced(kept.stdout).find(({ isManagement }) => isManagement)?.url;
    },
    cwd,
    pid: kept.pid,
    get stdout() {
      return kept.stdout;
    },
    get stderr() {
      return kept.stderr;
    },
    get log() {
      return logOf(kept.stdout);
    },
    get troubles() {
      return logOf(kept.stdout).filter((line) => /^(?:WARN|ERROR) /.test(line));
    },
    exit: kept.exit,
    async stop() {
      kept.signal('SIGTERM');
      return (await kept.exit).code;
    },
    async kill() {
      kept.signal('SIGKILL');
      await kept.exit;
    },
    async release() {
      kept.signal('SIGTERM');
      const timer = setTimeout(() => {
        kept.signal('SIGKILL');
      }, RELEASE_MILLIS);
      await kept.exit;
      clearTimeout(timer);
    },
  };
}

/** Runs the built service to its end, for startups that must fail. */
export async function runService(options: ServiceOptions = {}): Promise<Ended> {
  return run(MAIN, { ...options, args: withFreePort(options.args ?? []) });
}

/** Runs one command of the built command line, e.g. `['config', 'get', 'server.port']`. */
export async function runCli(
  args: readonly string[],
  options: Omit<ServiceOptions, 'args'> = {},
): Promise<EndedCommand> {
  const ended = await run(CLI, { ...options, args });
  const [target = ''] = /^Database: .*\n/.exec(ended.stderr) ?? [];
  return { ...ended, target, stderr: ended.stderr.slice(target.length) };
}

async function run(program: string, options: ServiceOptions): Promise<Ended> {
  const { kept, cwd } = await start(program, options);
  const { code } = await kept.exit;
  return { exitCode: code, stdout: kept.stdout, stderr: kept.stderr, cwd };
}

async function start(
  program: string,
  options: ServiceOptions,
): Promise<{ kept: HostedProcess | KeptProcess; cwd: string }> {
  const { build = THIS_BUILD } = options;
  if (build === THIS_BUILD) await request('build');
  const script = join(build, program);
  const cwd = options.cwd ?? temporaryFolder('service');
  const env = { PATH: process.env['PATH'] ?? '', ...options.env };
  const { args = [], nodeArguments = [] } = options;
  const clock = clockOf(nodeArguments);
  // Node itself reads these variables, and some of them only once.
  const isAlone = options.isAlone ?? Object.keys(env).some((name) => /^(?:TZ$|NODE_)/.test(name));
  if (!isAlone && (clock !== undefined || nodeArguments.length === 0)) {
    return { kept: await HostedProcess.start({ script, args, env, cwd, clock }), cwd };
  }
  return { kept: await KeptProcess.start(process.execPath, [...nodeArguments, script, ...args], { env, cwd }), cwd };
}

/** A free port of the loopback address, unless the test overrides it. */
function withFreePort(args: readonly string[]): readonly string[] {
  const isGiven = (key: string): boolean =>
    args.some((argument) => argument.replace(/^(?:--|-D)/, '').startsWith(`${key}=`));
  return [
    ...(isGiven('server.port') ? [] : ['--server.port=0']),
    ...(isGiven('server.address') ? [] : ['--server.address=127.0.0.1']),
    ...args,
  ];
}

const LOG_LINE =
  /^\d{4}-\d\d-\d\d [\d:.]{12}(?:Z|[+-][\d:]{5}) (\w+) +\d+ --- \[[\w.-]+\] \[\S+\] (?:\[\S+\] )?[\w.]+ : (.*)$/gm;

/** `LEVEL message` of each line of a log in the packaged format. */
export function logOf(stdout: string): readonly string[] {
  return Array.from(stdout.matchAll(LOG_LINE), ([, level = '', message = '']) => `${level} ${message}`);
}

interface Announced {
  readonly url: string;
  readonly isManagement: boolean;
}

/** The URLs that complete log lines announce, in every format. */
function announced(stdout: string): readonly Announced[] {
  const lines = stdout.split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const found = /(?<what>service is ready|Management endpoints): (?<url>https?:\/\/[^\s"]+)/.exec(line);
    const { what, url = '' } = found?.groups ?? {};
    return what === undefined ? [] : [{ url: url.replace(/[/.,]+$/, ''), isManagement: what.startsWith('M') }];
  });
}
