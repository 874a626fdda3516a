import { DatabaseSync } from 'node:sqlite';
import { waitUntil } from '../runner/wait-until.js';
import { type LoginStory, PASSWORD } from './login-story.js';
import { upTo } from './races.js';

/**
 * Locks the embedded database of a story and sends so many sign-ins that one is rejected: the others stay in progress or in
 * the queue until the returned function is called, which resolves to the status of each.
 */
export async function fillQueue(story: LoginStory, signIns: number): Promise<() => Promise<readonly number[]>> {
  const { id } = story.person();
  const file = String(story.database.args[0]).replace(/^.*jdbc:sqlite:/, '');
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('BEGIN IMMEDIATE');
  const statuses: number[] = [];
  const all = upTo(signIns).map(async () => {
    statuses.push((await story.client().post('/login', { id, pw: PASSWORD })).status);
  });
  await waitUntil('one is rejected', () => statuses.includes(503));
  return async () => {
    database.exec('ROLLBACK');
    database.close();
    await Promise.all(all);
    return statuses;
  };
}
