// npm run bench -- <name> [arguments]: runs one of the benches beside this file.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const files = readdirSync(import.meta.dirname).filter((file) => /\.bench\.(?:mjs|ts)$/.test(file));
const byName = new Map(files.sort().map((file) => [file.replace(/\.bench\.\w+$/, ''), file]));

const [name = '', ...args] = process.argv.slice(2);
const file = byName.get(name);
if (file) {
  // The bench finds its arguments at the same place as if it were started directly.
  process.argv.splice(1, Infinity, join(import.meta.dirname, file), ...args);
  await import(pathToFileURL(join(import.meta.dirname, file)).href);
} else {
  console.error(`usage: npm run bench -- <name>, where name is one of ${[...byName.keys()].join(', ')}`);
  process.exitCode = 1;
}
