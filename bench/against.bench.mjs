// npm run bench -- against <commit> [parts]: compares this build with the build of another commit: full logins and refreshes
// on both engines, a guarded route, an open one and a rejected request, then startup and memory. Prints ratios with their
// spread. Without parts, all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestsPart } from './against/requests.part.mjs';
import { startPart } from './against/start.part.mjs';
import { loginsPart } from './against/logins.part.mjs';
import { memoryPart } from './against/memory.part.mjs';
import { builtCheckout, commitId } from './target/checkout.mjs';

const PARTS = { requests: requestsPart, logins: loginsPart, start: startPart, memory: memoryPart };

const [commit, ...wanted] = process.argv.slice(2);
const id = commit === undefined ? undefined : await commitId(commit);
if (id === undefined || !wanted.every((part) => Object.hasOwn(PARTS, part))) {
  console.error(`usage: npm run bench -- against <commit> [parts], where <commit> is one of this repository
and the parts are some of ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'bench-against-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the clients run on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
const before = await builtCheckout(id, join(folder, 'before'));
console.log(`${commit} is built. Each line: the ratio of this build to that one (its range), both medians.`);
for (const [name, run] of Object.entries(PARTS)) {
  if (wanted.length === 0 || wanted.includes(name)) await run({ folder, roots: { now: undefined, before } });
}
