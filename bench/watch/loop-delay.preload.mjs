// Loaded into the service by --import: measures from inside how late its event loop comes round. Each SIGUSR2 writes what
// was seen since the one before to the file named in the query of this module's URL, and begins anew; beside it the
// processor time since the start, of the process and of the thread of the event loop.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = new URL(import.meta.url).searchParams.get('file');
/** Times between two rounds of a timer of 1 ms, so an idle loop shows 1 ms: what is printed is rather too much. */
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
