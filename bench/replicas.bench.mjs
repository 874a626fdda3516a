// npm run bench -- replicas [times]: measures a login on one, two and three processes on one MariaDB, then checks the formulas
// of docs/how-to/deploy/sizing.md with a simulation of the measured times. With `times`, as the first run prints them, it only
// simulates.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { agreementPart } from './replicas/agreement.part.mjs';
import { burstPart } from './replicas/burst.part.mjs';
import { measuredPart } from './replicas/measured.part.mjs';
import { hasMariadb, startMariadb } from './target/mariadb.mjs';

const SECONDS = 3;

const times = process.argv[2] === undefined ? await measured() : JSON.parse(process.argv[2]);
console.log('formula and simulation:');
agreementPart(times);
console.log('bursts:');
burstPart(times);

async function measured() {
  if (!hasMariadb) throw new Error('MariaDB is not installed');
  console.log(
    `clients, services and database on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'bench-replicas-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const mariadb = await startMariadb(join(folder, 'mariadb'));
  try {
    const result = await measuredPart({ folder, mariadb, seconds: SECONDS });
    console.log(`  times: '${JSON.stringify(result)}'`);
    return result;
  } finally {
    await mariadb.stop();
  }
}
