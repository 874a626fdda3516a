import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'login-service-examples');

type Run = (command: string, ...args: readonly string[]) => void;

/** The files of an example that its packages and its program depend on, and the commands that get and build them. */
const PREPARATIONS = {
  python: {
    inputs: ['requirements.txt'],
    build: (run: Run) => {
      run('python3', '-m', 'venv', 'venv');
      run('venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt');
    },
  },
  go: {
    inputs: ['go.mod', 'go.sum', 'main.go'],
    build: (run: Run) => {
      // An older Go gets the version that go.mod names; some distributions turn that off.
      run('env', 'GOTOOLCHAIN=auto', 'go', 'build', '-o', 'example', '.');
    },
  },
  'spring-boot': {
    inputs: ['pom.xml', 'src/**/*.{java,yml}'],
    build: (run: Run) => {
      run('mvn', '--batch-mode', '--quiet', 'package');
    },
  },
} as const;

export type PreparedExample = keyof typeof PREPARATIONS;
export const PREPARED_EXAMPLES = Object.keys(PREPARATIONS) as readonly PreparedExample[];

/** True after `npm run examples`, until the example changes. No test downloads anything. */
export function isPrepared(name: PreparedExample): boolean {
  return existsSync(preparedFolder(name));
}

/** The folder of an example with its packages and its built program. */
export function preparedFolder(name: PreparedExample): string {
  const hash = createHash('sha256');
  for (const input of inputsOf(name)) hash.update(`${input}\0`).update(readFileSync(join(EXAMPLES, name, input)));
  return join(CACHE, `${name}-${hash.digest('hex').slice(0, 16)}`);
}

function inputsOf(name: PreparedExample): readonly string[] {
  return PREPARATIONS[name].inputs.flatMap((input) => globSync(input, { cwd: join(EXAMPLES, name) })).sort();
}

/** Builds beside the final folder, so that a test never finds a part of it. */
function prepare(name: PreparedExample): void {
  const folder = preparedFolder(name);
  if (existsSync(folder)) return;
  const started = performance.now();
  const beside = `${folder}.${process.pid}`;
  for (const input of inputsOf(name)) {
    mkdirSync(dirname(join(beside, input)), { recursive: true });
    cpSync(join(EXAMPLES, name, input), join(beside, input));
  }
  try {
    PREPARATIONS[name].build((command, ...args) => execFileSync(command, args, { cwd: beside, stdio: 'inherit' }));
    renameSync(beside, folder);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

if (import.meta.main) {
  for (const name of PREPARED_EXAMPLES) {
    try {
      prepare(name);
    } catch (error) {
      console.error(`${name} failed: ${String(error)}`);
      process.exitCode = 1;
    }
  }
}
