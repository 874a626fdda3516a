import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of its own that measures how many passwords per second can be checked at best. */
export class BareHash {
  #child = fork(fileURLToPath(new URL('bare.mjs', import.meta.url)));

  async rate({ hash, password, seconds }) {
    this.#child.send({ hash, password, seconds });
    const [{ rate }] = await once(this.#child, 'message');
    return rate;
  }

  /** Also ends with the bench, however that ends. */
  stop() {
    this.#child.disconnect();
    this.#child.kill();
  }
}
