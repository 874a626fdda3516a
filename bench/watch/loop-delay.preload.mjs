// Loaded into the service by --import: measures from inside how late its event loop comes round. Each SIGUSR2 writes what
// was seen since the one before to the file named in the query of this module's URL, and begins anew.
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
  writeFileSync(`${file}.part`, JSON.stringify({ p50, p99, max }));
  renameSync(`${file}.part`, file);
});
