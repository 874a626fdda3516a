// (a, c) Wrong passwords, each for another login id and from another address.
import { join } from 'node:path';
import { CHEAP, REAL, Stand } from '../target/stand.mjs';
import { usersFor, wrongPassword } from './attempts.mjs';
import { expectStatus, watchedAttack } from './watched.mjs';

const ATTEMPTS = 200_000;
const ATTEMPTS_AT_REAL_COST = 20_000;

/** With a cheap hash, so that many attempts take minutes only. */
export function cheapPasswordsPart({ folder }) {
  return attackPasswords(join(folder, 'cheap'), CHEAP, ATTEMPTS);
}

/** With the packaged hash, which adds 19 MiB for each core, and fewer attempts. */
export function realPasswordsPart({ folder }) {
  return attackPasswords(join(folder, 'real'), REAL, ATTEMPTS_AT_REAL_COST);
}

async function attackPasswords(folder, cost, attempts) {
  const stand = await Stand.withUsers({ folder, size: usersFor(attempts), cost });
  await watchedAttack(stand, 'failing logins', async (crowd) => {
    await crowd.each(Array(attempts).keys(), (connection, index) =>
      expectStatus(connection, wrongPassword(index), 401),
    );
    return attempts;
  });
}
