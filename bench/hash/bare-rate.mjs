import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A separate process that measures the maximum rate of password verifications. */
export class BareHash {
  #child = fork(fileURLToPath(new URL('bare.mjs', import.meta.url)));

  async rate({ hash, password, seconds }) {
    this.#child.send({ hash, password, seconds });
    const [{ rate }] = await once(this.#child, 'message');
    return rate;
  }

  /** The process ends with the bench, even if the bench fails. */
  stop() {
    this.#child.disconnect();
    this.#child.kill();
  }
}
