// (b) Wrong codes behind the right password, until each account is locked.
import { join } from 'node:path';
import { CHEAP, Stand } from '../target/stand.mjs';
import { rightPassword, wrongCode } from './attempts.mjs';
import { expectStatus, watchedAttack } from './watched.mjs';

const USERS = 15_000;
/** Each account has five attempts before it is locked. */
const CODES = 6;

export async function codesPart({ folder }) {
  const stand = await Stand.withUsers({ folder: join(folder, 'codes'), size: USERS, cost: CHEAP });
  await watchedAttack(stand, 'wrong codes', async (crowd) => {
    await crowd.each(Array(USERS).keys(), async (connection, index) => {
      const { body } = await expectStatus(connection, rightPassword(index), 200);
      const [, token] = /"mfa_token":"([^"]+)"/.exec(body);
      for (let code = 1; code <= CODES; code += 1) {
        await expectStatus(connection, wrongCode(index, token), code < CODES ? 401 : 429);
      }
    });
    return USERS * CODES;
  });
}
