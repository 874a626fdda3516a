// Loaded into the service by --import: measures its event-loop delay from inside. Each SIGUSR2 writes the delay since the
// previous one to the file in the query of this module's URL, with the processor time of the process and of the event-loop
// thread since the start.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = new URL(import.meta.url).searchParams.get('file');
/** Times between two rounds of a timer of 1 ms. An idle loop shows 1 ms, so the printed delay is an upper bound. */
const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();

process.on('SIGUSR2', () => {
  const [p50, p99, max] = [histogram.percentile(50), histogram.percentile(99), histogram.max].map(
    (nanos) => nanos / 1e6,
  );
  histogram.reset();
  const [cpuMillis, loopMillis] = [process.cpuUsage(), process.threadCpuUsage()].map(
    ({ user, system }) => (user + system) / 1000,
  );
  writeFileSync(`${file}.part`, JSON.stringify({ p50, p99, max, cpuMillis, loopMillis }));
  renameSync(`${file}.part`, file);
});
