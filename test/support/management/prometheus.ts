import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../runner/binaries.js';
import { freePort } from '../programs/free-port.js';
import { KeptProcess } from '../programs/kept-process.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import { waitUntil } from '../runner/wait-until.js';

const OURS = fileURLToPath(new URL('../../../deploy/prometheus/', import.meta.url));
const HOST = '127.0.0.1';

export interface Scraped {
  /** Host and port. */
  readonly target: string;
  readonly user: string;
  readonly password: string;
}

/** One series of a query result, by its labels. */
export interface Value {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus {
  /** Its output. */
  readonly log: string;
  /** The current result of a query. */
  query(query: string): Promise<readonly Value[]>;
  /** The member `data` of a response of its API, e.g. of `rules`. */
  data(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** A private Prometheus with the deployed configuration and alerts, which scrapes every second. */
export async function startPrometheus({ target, user, password }: Scraped): Promise<Prometheus> {
  const cwd = temporaryFolder('prometheus');
  cpSync(OURS, cwd, { recursive: true });
  writeFileSync(join(cwd, 'password'), password);
  const config = replaced(readFileSync(join(OURS, 'prometheus.yml'), 'utf8'), {
    'scrape_interval: 15s': 'scrape_interval: 1s',
    'evaluation_interval: 15s': 'evaluation_interval: 1s',
    'username: prometheus': `username: ${user}`,
    '/etc/prometheus/login-service.password': 'password',
    '10.0.0.7:9090': target,
  });
  writeFileSync(join(cwd, 'prometheus.yml'), config);
  const port = await freePort();
  const args = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=${HOST}:${port}`];
  const server = await KeptProcess.start(programOf('prometheus'), args, { env: {}, cwd, folder: cwd });
  const url = `http://${HOST}:${port}`;
  await waitUntil(
    'Prometheus is ready',
    async () => {
      if (server.hasEnded) throw new Error(`Prometheus did not start:\n${server.stdout}${server.stderr}`);
      return (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok;
    },
    { limitMillis: 30_000 },
  );
  const data = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${url}/api/v1/${path}`);
    return ((await answer.json()) as { readonly data?: unknown }).data;
  };
  return {
    get log() {
      return server.stderr;
    },
    data,
    async query(query) {
      const { result } = (await data(`query?${new URLSearchParams({ query }).toString()}`)) as Result;
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
    },
    async stop() {
      await server.stop();
    },
  };
}

interface Result {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>;
    readonly value: readonly [at: number, value: string];
  }[];
}

/** Replaces texts; throws if one is missing. */
function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  let changed = text;
  for (const [from, to] of Object.entries(changes)) {
    if (!changed.includes(from)) throw new Error(`the configuration of Prometheus says nothing of ${from}`);
    changed = changed.replace(from, () => to);
  }
  return changed;
}
