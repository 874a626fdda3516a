// npm run bench -- http: compares a cheap route behind a full login with the same route without the HTTP host of the service;
// and, for information, a public route with a bare one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Generator } from './generator/generator.mjs';
import { Connection, requestText } from './load/connection.mjs';
import { accessToken } from './load/story.mjs';
import { median, timedGoal } from './measure.mjs';
import { NODE_OPTIONS, Program } from './target/program.mjs';
import { CHEAP, Stand } from './target/stand.mjs';
import { inTurns, medianRate, partOf } from './turns.mjs';
import { LoopDelay } from './watch/loop-delay.mjs';
import { undisturbed } from './watch/others.mjs';

const CLIENTS = 16;
const ROUNDS = 15;
/** More rounds than needed: other processes on the machine spoil some of them. */
const MOST_ROUNDS = 25;
const SECONDS = 1;
const LEAST_PART = 0.75;
/** The public route. */
const JWKS = '/.well-known/jwks.json';

const folder = mkdtempSync(join(tmpdir(), 'bench-http-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`the generator runs on the same ${availableParallelism()} cores, load before ${loadavg()[0].toFixed(1)}`);
const stand = await Stand.withUsers({ folder, size: 10, cost: CHEAP });
const generator = new Generator();
const targets = [];
try {
  const service = await target('service', (node) => stand.start({ node }));
  // The yardstick uses the same database and the same keys.
  const guarded = await target('same route, bare', (node) => bare('bare-guarded', node, stand.settings));
  const response = join(folder, 'jwks.json');
  writeFileSync(response, await (await fetch(`http://127.0.0.1:${service.program.port}${JWKS}`)).text());
  const open = await target('trivial guard, bare', (node) => bare('bare-open', node, [`--response=${response}`]));
  const authorization = { Authorization: `Bearer ${await token(service.program)}` };
  const guardedRoute = {
    requests: [requestText('GET', '/me/settlement', { headers: authorization })],
    marker: '"sub":',
  };
  const openRoute = { requests: [requestText('GET', JWKS)], marker: '"keys":' };
  const results = await inTurns(
    {
      service: () => asked(service, guardedRoute),
      bare: () => asked(guarded, guardedRoute),
      openService: () => asked(service, openRoute),
      openBare: () => asked(open, openRoute),
    },
    { rounds: ROUNDS, mostRounds: MOST_ROUNDS, warmUp: 3 },
  );
  const { isQuiet, part, loopPart } = compared('guarded route', results.service, results.bare);
  console.log(`by time of the event loop for a request: ${loopPart.toFixed(3)}`);
  timedGoal(
    `guarded route at ${LEAST_PART} of the requests per second of the bare one or more: ${part.toFixed(3)}`,
    part >= LEAST_PART,
    isQuiet,
  );
  compared('open route', results.openService, results.openBare);
} finally {
  generator.stop();
  for (const { program } of targets) await program.stop();
}

async function target(name, start) {
  const loopDelay = new LoopDelay(join(folder, `${name.replace(/\W+/g, '-')}.json`));
  const each = { program: await start(loopDelay.nodeArguments), loopDelay };
  targets.push(each);
  return each;
}

function bare(name, node, settings = []) {
  const file = fileURLToPath(new URL(`./http/${name}.mjs`, import.meta.url));
  const args = [...NODE_OPTIONS, ...node, file, '--server.port=0', ...settings];
  return Program.start(args, { cwd: folder, announces: /ready: http:\/\/[^\s/]+:(\d+)\// });
}

async function token({ address }) {
  const connection = await Connection.open(address);
  const value = await accessToken(connection, stand.population);
  connection.close();
  return value;
}

async function asked(each, route) {
  const seen = await generator.ask(each, { kind: 'closed loop', clients: CLIENTS, seconds: SECONDS, ...route });
  const statuses = Object.keys(seen.statuses);
  if (statuses.join() !== '200') throw new Error(`${route.requests[0]} was answered ${statuses.join(' and ')}`);
  return { ...seen, perRequest: (1000 * seen.loopMillis) / seen.statuses[200] };
}

/** Prints both, and returns the share of the yardstick's requests, and of its event-loop speed, that the service reaches. */
function compared(what, ofService, ofBare) {
  console.log(`${what}:`);
  const {
    isQuiet,
    kept: [service, bareOne],
  } = undisturbed(ofService, ofBare);
  medianRate('service', service);
  medianRate('bare', bareOne);
  const part = partOf(service, bareOne);
  const loopPart = median(service.map(({ perRequest }, index) => bareOne[index].perRequest / perRequest));
  const [ours, theirs] = [service, bareOne].map((rounds) => median(rounds.map(({ perRequest }) => perRequest)));
  console.log(`  ratio of requests ${part.toFixed(3)}`);
  console.log(
    `  time of the event loop for a request: ${ours.toFixed(0)} and ${theirs.toFixed(0)} microseconds, ratio ${loopPart.toFixed(3)}`,
  );
  return { isQuiet, part, loopPart };
}
