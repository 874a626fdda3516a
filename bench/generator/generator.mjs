import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Others } from '../watch/others.mjs';
import { processorMillis } from '../watch/processor-millis.mjs';

/** The load generator, in a separate process. */
export class Generator {
  #child = fork(fileURLToPath(new URL('program.mjs', import.meta.url)));
  #cpuMillis = 0;
  #servers;

  /** @param servers processes that the measured programs use, such as a database; they are not `others` */
  constructor(servers = []) {
    this.#servers = servers;
  }

  /**
   * Loads a program as `order` says while `loopDelay` measures its event loop. Returns the results of both, and the share
   * of the machine that `others` took meanwhile.
   */
  async ask({ program, loopDelay }, order) {
    const before = await loopDelay.take(program);
    const serverBefore = this.#serverMillis();
    const cpuBefore = this.#cpuMillis + ownMillis();
    const others = new Others();
    this.#child.send({ ...order, address: program.address });
    const [seen] = await once(this.#child, 'message');
    const inside = await loopDelay.take(program);
    this.#cpuMillis = seen.cpuMillis;
    const programMillis = inside.cpuMillis - before.cpuMillis;
    const serverMillis = this.#serverMillis() - serverBefore;
    return {
      ...seen,
      delay: inside,
      loopMillis: inside.loopMillis - before.loopMillis,
      programMillis,
      serverMillis,
      others: others.part(programMillis + serverMillis + this.#cpuMillis + ownMillis() - cpuBefore),
    };
  }

  #serverMillis() {
    return this.#servers.reduce((sum, { pid }) => sum + processorMillis(pid), 0);
  }

  /** The process ends with the bench, even if the bench fails. */
  stop() {
    this.#child.disconnect();
    this.#child.kill();
  }
}

function ownMillis() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
