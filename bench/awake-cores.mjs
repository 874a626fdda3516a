import { spawn } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';

/**
 * Keeps every core busy at the lowest priority until the returned function is called. Between a request and its response, a
 * core of a virtual machine that has nothing to do halts, and takes some 50 µs to go on; a few microseconds of work decide
 * whether it does. Without this, a bench of single calls compares halts.
 */
export function keepCoresAwake() {
  const idlers = Array.from({ length: availableParallelism() }, () => {
    // Ends with this process, too: its standard input closes then, which it notices between two spins.
    const idler = spawn(process.execPath, ['-e', SPIN], { stdio: ['pipe', 'ignore', 'inherit'] });
    setPriority(idler.pid, constants.priority.PRIORITY_LOW);
    return idler;
  });
  return () => {
    for (const idler of idlers) idler.kill();
  };
}

const SPIN = `process.stdin.on('end', () => process.exit()).resume();
  (function spin() { const end = performance.now() + 50; while (performance.now() < end); setImmediate(spin); })();`;
