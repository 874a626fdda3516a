import { memoryUsage } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import type { Meters } from './meters.js';

/** As that machine says it where there is no limit. */
const NO_LIMIT = -1;
const HEAP = { area: 'heap' };
const REST = { area: 'nonheap' };

/** Memory under the names that consoles for Java virtual machines ask for (management API, "Clients"). */
export function addJvmMemory(meters: Meters): void {
  const bytes = (description: string): { readonly description: string; readonly baseUnit: string } => ({
    description,
    baseUnit: 'bytes',
  });
  const used = bytes('Memory in use, as nodejs.memory.used has it');
  meters.gauge('jvm.memory.used', used, () => memoryUsage().heapUsed, HEAP);
  meters.gauge('jvm.memory.used', used, () => memoryUsage().external, REST);
  const committed = bytes('Memory that is set aside');
  meters.gauge('jvm.memory.committed', committed, () => memoryUsage().heapTotal, HEAP);
  meters.gauge('jvm.memory.committed', committed, () => memoryUsage().external, REST);
  const most = bytes('Memory that can be used at most; -1 where nothing limits it');
  meters.gauge('jvm.memory.max', most, () => getHeapStatistics().heap_size_limit, HEAP);
  meters.gauge('jvm.memory.max', most, () => NO_LIMIT, REST);
}
