// Compares the time from the start of the process to the first response on / with a bare NestJS-on-Fastify application: both with
// a compile cache of an earlier start, as the service has by itself, and both without.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, goal } from './measure.mjs';
import { timeToFirstAnswer } from './target/first-answer.mjs';
import { NODE_OPTIONS, serviceArguments } from './target/program.mjs';

const bare = fileURLToPath(new URL('./bare-nest.mjs', import.meta.url));

function competitors(folder, ofService, ofBare) {
  return [
    {
      name: 'service on a new embedded database',
      run: () => {
        const cwd = mkdtempSync(join(folder, 'run-'));
        return timeToFirstAnswer((port) => serviceArguments({ settings: [`--server.port=${port}`] }), cwd, ofService);
      },
    },
    {
      name: 'bare NestJS on Fastify',
      run: () => timeToFirstAnswer((port) => [...NODE_OPTIONS, bare, String(port)], folder, ofBare),
    },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
try {
  const rounds = { rounds: 15, warmUp: 3 };
  console.log('with a compile cache:');
  const kept = await compare(...competitors(folder, {}, { NODE_COMPILE_CACHE: join(folder, 'cache') }), rounds);
  console.log('without a compile cache:');
  const without = { NODE_DISABLE_COMPILE_CACHE: '1' };
  const fresh = await compare(...competitors(folder, without, without), rounds);
  goal('first response on / within 1.3 times the bare application', kept <= 1.3);
  goal('the same on a first start, without a compile cache', fresh <= 1.6);
} finally {
  rmSync(folder, { recursive: true });
}
