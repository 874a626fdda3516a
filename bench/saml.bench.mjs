// npm run bench -- saml [a b c]: the cost of verifying a SAML response beyond that of the library (a), complete logins over
// HTTP (b), and the time for which hostile documents block the process (c); without letters, all parts.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostilePart } from './saml/hostile.part.mjs';
import { loginPart } from './saml/login.part.mjs';
import { verifyPart } from './saml/verify.part.mjs';

const PARTS = {
  a: { title: 'responses verified per second, one after the other', run: verifyPart },
  b: { title: 'complete logins over HTTP', run: loginPart },
  c: { title: 'hostile documents of the maximum size', run: hostilePart },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((letter) => !(letter in PARTS));
if (unknown.length > 0) {
  console.error(`usage: npm run bench -- saml [parts], where parts are some of ${Object.keys(PARTS).join(' ')}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'bench-saml-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`on ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
for (const [letter, { title, run }] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(letter)) continue;
  console.log(`(${letter}) ${title}:`);
  await run({ folder });
}
