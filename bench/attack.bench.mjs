// npm run bench -- attack [a b c d]: the resident memory of the service while logins fail and garbage arrives; without letters, all parts.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { codesPart } from './attack/codes.part.mjs';
import { garbagePart } from './attack/garbage.part.mjs';
import { cheapPasswordsPart, realPasswordsPart } from './attack/passwords.part.mjs';
import { CLIENTS } from './load/crowd.mjs';

const LIMIT_MINUTES = 20;
const PARTS = {
  a: { title: 'wrong passwords, cheap hash', run: cheapPasswordsPart },
  b: { title: 'wrong codes, cheap hash', run: codesPart },
  c: { title: 'wrong passwords, packaged hash', run: realPasswordsPart },
  d: { title: 'garbage for OpenID Connect', run: garbagePart },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((letter) => !(letter in PARTS));
if (unknown.length > 0) {
  console.error(`usage: npm run bench -- attack [parts], where parts are some of ${Object.keys(PARTS).join(' ')}`);
  process.exit(1);
}

const watchdog = setTimeout(() => {
  console.error(`the bench did not end within ${LIMIT_MINUTES} minutes`);
  process.exit(1);
}, LIMIT_MINUTES * 60_000);
const folder = mkdtempSync(join(tmpdir(), 'bench-attack-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`${CLIENTS} clients with open sockets on the same ${availableParallelism()} cores as the service`);
try {
  for (const [letter, { title, run }] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(letter)) continue;
    console.log(`(${letter}) ${title}:`);
    await run({ folder });
  }
} finally {
  clearTimeout(watchdog);
}
