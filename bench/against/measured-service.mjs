import { LoopDelay } from '../watch/loop-delay.mjs';

/** A service of one of the builds, whose processor time can be read. */
export class MeasuredService {
  /** @param file where the process may write */
  static async start(stand, file) {
    const loopDelay = new LoopDelay(file);
    const program = await stand.start({ node: loopDelay.nodeArguments });
    return new MeasuredService(stand, program, loopDelay);
  }

  constructor(stand, program, loopDelay) {
    this.stand = stand;
    this.program = program;
    this.loopDelay = loopDelay;
  }

  /** Processor time of the process since its start. */
  async cpuMillis() {
    return (await this.loopDelay.take(this.program)).cpuMillis;
  }
}

/**
 * Starts a service of each build, calls `rounds` with them by name, and stops them, `processes` times: one process is faster
 * than the next by chance. Returns the rounds of all processes by what they measured.
 */
export async function roundsOfProcesses(processes, { names, start, rounds }) {
  const all = {};
  for (let process = 0; process < processes; process += 1) {
    const services = {};
    try {
      for (const name of process % 2 === 0 ? names : names.toReversed()) services[name] = await start(name);
      for (const [what, measured] of Object.entries(await rounds(services))) {
        all[what] ??= Object.fromEntries(names.map((name) => [name, []]));
        for (const name of names) all[what][name].push(...measured[name]);
      }
    } finally {
      for (const { program } of Object.values(services)) await program.stop();
    }
  }
  return all;
}

/** The same action with each service, as `inTurns` takes it. */
export function turnsOf(services, action) {
  return Object.fromEntries(Object.entries(services).map(([name, service]) => [name, () => action(service)]));
}
