// npm run bench -- db: the overhead of the database layer against the bare driver, on a private MariaDB. Each part is a file of
// bench/db that exports `part({ database })`.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepCoresAwake } from './awake-cores.mjs';
import { part as borrowPart } from './db/borrow.part.mjs';
import { part as mapperPart } from './db/mapper.part.mjs';
import { hasMariadb, startMariadb } from './target/mariadb.mjs';

const PARTS = { borrow: borrowPart, mapper: mapperPart };

const wanted = process.argv.slice(2);
const chosen = Object.entries(PARTS).filter(([name]) => wanted.length === 0 || wanted.includes(name));
if (chosen.length === 0) {
  console.error(`the parts are ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 1;
} else if (!hasMariadb) {
  console.error('MariaDB is not installed');
  process.exitCode = 1;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-db-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = await startMariadb(join(folder, 'server'));
  const letCoresHalt = keepCoresAwake();
  try {
    console.log(
      `the server runs on the same ${availableParallelism()} cores, kept awake at low priority, load before ${loadavg()[0].toFixed(1)}`,
    );
    for (const [name, part] of chosen) await part({ database: await server.database(name) });
  } finally {
    letCoresHalt();
    await server.stop();
  }
}
