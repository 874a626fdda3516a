// npm run bench -- db: what the pool costs, against the driver alone on a private MariaDB.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowPart } from './db/borrow.part.mjs';
import { startMariadb } from './target/mariadb.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bench-db-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const server = await startMariadb(join(folder, 'mariadb'));
try {
  await borrowPart(await server.database('borrow'));
} finally {
  await server.stop();
}
