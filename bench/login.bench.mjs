// npm run bench -- login [a b c e f g]: compares the speed and size of logins with their goals; without letters, all parts.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { coresPart } from './login/cores.part.mjs';
import { footprintPart } from './login/footprint.part.mjs';
import { growthPart } from './login/growth.part.mjs';
import { hashPart } from './login/hash.part.mjs';
import { latencyPart } from './login/latency.part.mjs';
import { yardstickPart } from './login/yardstick.part.mjs';
import { CLIENTS } from './load/crowd.mjs';
import { hasMariadb, startMariadb } from './target/mariadb.mjs';

const LIMIT_MINUTES = 15;
const QUIET_LOAD = 0.5;
const PARTS = {
  a: { title: 'logins compared with the bare password hash', run: hashPart, usesMariadb: true },
  b: {
    title: 'logins with a cheap hash compared with a program without a framework',
    run: yardstickPart,
    usesMariadb: true,
  },
  c: { title: 'second step, refresh and event loop (c, d) under load', run: latencyPart, usesMariadb: true },
  e: { title: 'startup, memory and disk', run: footprintPart },
  f: { title: 'a million users', run: growthPart },
  g: { title: 'cores that one process can use', run: coresPart, usesMariadb: true },
};

const wanted = process.argv.slice(2).map((letter) => (letter === 'd' ? 'c' : letter));
const unknown = wanted.filter((letter) => !(letter in PARTS));
if (unknown.length > 0) {
  console.error(`usage: npm run bench -- login [parts], where parts are some of ${Object.keys(PARTS).join(' ')}`);
  process.exit(1);
}

const watchdog = setTimeout(() => {
  console.error(`the bench did not end within ${LIMIT_MINUTES} minutes`);
  process.exit(1);
}, LIMIT_MINUTES * 60_000);
const folder = mkdtempSync(join(tmpdir(), 'bench-login-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const parts = Object.entries(PARTS).filter(([letter]) => wanted.length === 0 || wanted.includes(letter));
console.log(`${CLIENTS} clients with open sockets on the same ${availableParallelism()} cores as the service`);
const [load] = loadavg();
if (load > QUIET_LOAD) {
  console.log(`The machine is busy (load ${load.toFixed(1)}): the following figures are unreliable, ratios included.`);
}
let mariadb;
try {
  if (parts.some(([, part]) => part.usesMariadb)) {
    if (hasMariadb) mariadb = await startMariadb(join(folder, 'mariadb'));
    else console.log('MariaDB is not installed: its part is skipped');
  }
  for (const [letter, { title, run }] of parts) {
    console.log(`(${letter}) ${title}:`);
    await run({ folder, mariadb });
  }
} finally {
  await mariadb?.stop();
  clearTimeout(watchdog);
}
