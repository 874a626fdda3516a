import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const ACTOR = `cli:${userInfo().username}`;
const REASON = 'ticket 4711';
const RECORDED: { readonly exitCode: number | null; readonly actors: readonly string[]; readonly isLogged: boolean } = {
  exitCode: 0,
  actors: [ACTOR],
  isLogged: true,
};

onSqlite('the record of a command that changes something', (engine) => {
  const story = storyOn(engine, { people: 20 });

  it.each<readonly [string, (id: string) => readonly string[], string]>([
    ['users add', (id) => ['users', 'add', `new-${id}`], 'USER_CREATED'],
    ['users invite', (id) => ['users', 'invite', `new-${id}`, '--print-link'], 'USER_INVITED'],
    ['users set-password', (id) => ['users', 'set-password', id], 'PASSWORD_RESET'],
    ['users set-roles', (id) => ['users', 'set-roles', id, 'ROLE_AUDITOR'], 'USER_CHANGED'],
    ['users require-mfa', (id) => ['users', 'require-mfa', id], 'USER_CHANGED'],
    ['users disable', (id) => ['users', 'disable', id], 'USER_CHANGED'],
    ['users reset-mfa', (id) => ['users', 'reset-mfa', id], 'MFA_RESET_BY_ADMIN'],
    ['users delete', (id) => ['users', 'delete', id], 'USER_DELETED'],
    ['users import', (id) => ['users', 'import', fileWith(`new-${id}`)], 'USERS_IMPORTED'],
    ['keys rotate', () => ['keys', 'rotate'], 'KEY_ROTATED'],
  ])('%s is an event and a log line with actor, operating-system user and reason', async (_name, argsOf, kind) => {
    expect(await recordOf(argsOf(story.person().id), kind)).toEqual(RECORDED);
  });

  it('users unlock is an event and a log line with actor, operating-system user and reason', async () => {
    const person = await story.enrolled();
    await story.lock(person);

    expect(await recordOf(['users', 'unlock', person.id], 'MFA_UNLOCKED')).toEqual(RECORDED);
  });

  it('users enable is an event and a log line with actor, operating-system user and reason', async () => {
    const { id } = story.person();
    await story.command('users', 'disable', id);

    expect(await recordOf(['users', 'enable', id], 'USER_CHANGED')).toEqual(RECORDED);
  });

  /** Runs the command; returns the actors of its events, and whether their log line has the actor and the reason. */
  async function recordOf(args: readonly string[], kind: string): Promise<typeof RECORDED> {
    const reason = `${REASON} of ${args.join(' ')}`;
    const { exitCode, stderr } = await story.command(...args, '--reason', reason);
    const events = await story.database.query<{ actor: string; detail: string | null }>(
      'SELECT actor, detail FROM security_event WHERE kind = ?',
      [kind],
    );
    const own = events.filter(({ detail }) => detail?.includes(reason));
    const line = stderr.split('\n').find((each) => each.includes(kind)) ?? '';
    return {
      exitCode,
      actors: [...new Set(own.map(({ actor }) => actor))],
      isLogged: line.includes(ACTOR) && line.includes(reason),
    };
  }

  function fileWith(id: string): string {
    const file = join(story.cwd, `${id}.csv`);
    writeFileSync(file, `login_id,password\n${id},nine wet lanterns & 3 harbours\n`);
    return file;
  }
});
