import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { constrainedMemory, cpuUsage, cwd, memoryUsage, platform, uptime } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../../kernel/clock/clock.js';
import { addFileMeters } from './file-meters.js';
import type { Meters } from './meters.js';
import { RecentShare, type Work } from './recent-share.js';

const SECONDS = { baseUnit: 'seconds' };
const BYTES = { baseUnit: 'bytes' };

/** Meters of the resources of process and machine, read on demand. */
export function addMachineMeters(meters: Meters, clock: Clock): void {
  addProcess(meters, clock);
  addProcessors(meters);
  addMemory(meters);
  addDisk(meters);
  addFileMeters(meters);
}

function addProcess(meters: Meters, clock: Clock): void {
  const startedAt = clock.millis() / 1000 - uptime();
  meters.gauge('process.uptime', { description: 'Time since the process started', ...SECONDS }, uptime);
  const start = { description: 'Start time of the process in seconds since 1970', ...SECONDS };
  meters.gauge('process.start.time', start, () => startedAt);
}

function addProcessors(meters: Meters): void {
  const ofProcess = new RecentShare(processWork);
  const ofSystem = new RecentShare(systemWork);
  const own = { description: 'Share of all cores that the process used since the last read' };
  meters.gauge('process.cpu.usage', own, () => ofProcess.value);
  const all = { description: 'Share of all cores that was in use since the last read' };
  meters.gauge('system.cpu.usage', all, () => ofSystem.value);
  meters.gauge('system.cpu.count', { description: 'Cores that the process may use' }, availableParallelism);
  // Windows has no load average; Node reports 0.
  if (platform === 'win32') return;
  const load = { description: 'Runnable processes, averaged over the last minute' };
  meters.gauge('system.load.average.1m', load, () => loadavg()[0] ?? NaN);
}

function processWork(): Work {
  const { user, system } = cpuUsage();
  return { busySeconds: (user + system) / 1e6, allSeconds: uptime() * availableParallelism() };
}

function systemWork(): Work {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { busySeconds: (all - idle) / 1000, allSeconds: all / 1000 };
}

function addMemory(meters: Meters): void {
  const used = { description: 'Memory in use', ...BYTES };
  meters.gauge('nodejs.memory.used', used, () => memoryUsage().heapUsed, { area: 'heap' });
  meters.gauge('nodejs.memory.used', used, () => memoryUsage().external, { area: 'external' });
  meters.gauge('nodejs.memory.used', used, () => memoryUsage.rss(), { area: 'rss' });
  const max = { description: 'Maximum memory that can be used', ...BYTES };
  meters.gauge('nodejs.memory.max', max, () => getHeapStatistics().heap_size_limit, { area: 'heap' });
  meters.gauge('nodejs.memory.max', max, machineMemory, { area: 'rss' });
}

/** Returns the memory limit of the container. Without one, Node reports 0 or a number above the memory of the machine. */
function machineMemory(): number {
  const limit = constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Meters of the disk of the working folder, with logs, uploads and the embedded database. */
function addDisk(meters: Meters): void {
  const path = cwd();
  const free = { description: 'Free disk space for the process', ...BYTES };
  meters.gauge('disk.free', free, () => blocks(path, 'bavail'), { path });
  meters.gauge('disk.total', { description: 'Total disk space', ...BYTES }, () => blocks(path, 'blocks'), { path });
}

function blocks(path: string, which: 'bavail' | 'blocks'): number {
  const disk = statfsSync(path);
  return disk[which] * disk.bsize;
}
