// The load generator. It is a separate process, so that its own delay can be distinguished from that of the service.
// `generator.mjs` starts it; it responds to each message { kind, address, requests, marker, seconds, ... } with its results.
import { Buffer } from 'node:buffer';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { RAMP_MILLIS } from '../load/crowd.mjs';
import { ClosedLoop } from './closed-loop.mjs';
import { OpenLoop } from './open-loop.mjs';
import { Seen } from './seen.mjs';

process.on('message', async (order) => process.send(await run(order)));

async function run({ kind, address, requests, marker, seconds, ...options }) {
  const bytes = requests.map((text) => Buffer.from(text));
  const load = kind === 'closed loop' ? new ClosedLoop(address, bytes, options) : new OpenLoop(address, bytes, options);
  load.start();
  await sleep(RAMP_MILLIS);
  const seen = new Seen(marker);
  load.seen = seen;
  const loopDelay = monitorEventLoopDelay({ resolution: 1 });
  loopDelay.enable();
  const before = { at: performance.now(), cpu: process.cpuUsage() };
  await sleep(seconds * 1000);
  load.seen = undefined;
  loopDelay.disable();
  const elapsed = (performance.now() - before.at) / 1000;
  const { user, system } = process.cpuUsage(before.cpu);
  await load.stop();
  return {
    ...seen.summary(elapsed),
    statuses: load.statuses,
    generatorShare: (user + system) / 1e6 / elapsed,
    generatorDelay: loopDelay.percentile(99) / 1e6,
    cpuMillis: ownMillis(),
  };
}

/** Processor time since the start. */
function ownMillis() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
