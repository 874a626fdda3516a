// Requests without a database transaction, each from 16 clients without a pause.
import { join } from 'node:path';
import { Generator } from '../generator/generator.mjs';
import { Connection, requestText } from '../load/connection.mjs';
import { accessToken } from '../load/story.mjs';
import { CHEAP, Stand } from '../target/stand.mjs';
import { inTurns } from '../turns.mjs';
import { MeasuredService, roundsOfProcesses, turnsOf } from './measured-service.mjs';
import { printRates } from './ratios.mjs';

const CLIENTS = 16;
const SECONDS = 0.8;
const ROUNDS = { rounds: 4, warmUp: 2 };
const PROCESSES = 6;
const ROUTES = {
  // Builds without the portal respond with 200.
  'GET /': { path: '/', expected: [303, 200] },
  'GET /me/settlement': { path: '/me/settlement', expected: [200], withToken: true },
  'GET /me': { path: '/me', expected: [200], withToken: true },
  'GET /me without a token': { path: '/me', expected: [401] },
};

export async function requestsPart({ folder, roots }) {
  const stands = {};
  for (const [name, root] of Object.entries(roots)) {
    stands[name] = await Stand.withUsers({ folder: join(folder, `requests-${name}`), size: 10, cost: CHEAP, root });
  }
  const generator = new Generator();
  try {
    const all = await roundsOfProcesses(PROCESSES, {
      names: Object.keys(stands),
      start: (name) => MeasuredService.start(stands[name], join(folder, `requests-${name}.json`)),
      rounds: (services) => roundsOf(services, generator),
    });
    for (const [what, rounds] of Object.entries(all)) printRates(what, rounds);
  } finally {
    generator.stop();
  }
}

async function roundsOf(services, generator) {
  for (const service of Object.values(services)) service.token = await token(service);
  const all = {};
  for (const [what, route] of Object.entries(ROUTES)) {
    const ask = (service) => asked(generator, service, route);
    all[what] = await inTurns(turnsOf(services, ask), ROUNDS);
  }
  return all;
}

async function token({ program, stand }) {
  const connection = await Connection.open(program.address);
  const value = await accessToken(connection, stand.population);
  connection.close();
  return value;
}

/** Requests per second of the measured period, and processor time for each response, also outside of that period. */
async function asked(generator, service, { path, expected, withToken }) {
  const request = requestText('GET', path, {
    headers: withToken ? { Authorization: `Bearer ${service.token}` } : {},
  });
  const before = await service.cpuMillis();
  const order = { kind: 'closed loop', clients: CLIENTS, seconds: SECONDS, requests: [request] };
  const { offered, statuses } = await generator.ask(service, order);
  const cpuMillis = (await service.cpuMillis()) - before;
  const [status, ...others] = Object.keys(statuses).map(Number);
  if (others.length > 0 || !expected.includes(status)) {
    throw new Error(`GET ${path} was answered ${Object.keys(statuses).join(' and ')}`);
  }
  return { rate: offered, cpuMillis: cpuMillis / statuses[status] };
}
