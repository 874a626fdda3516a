import { readFileSync } from 'node:fs';

/** Processor time of a process; 0 where the system has no `/proc`. */
export function processorMillis(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return 0;
  }
  // The fields after the name of the program, which may contain spaces: user and system time in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
