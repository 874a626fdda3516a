import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ADMIN, Administrator, csv, HELP_DESK } from '../../support/login/administrator.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import type { FilePart } from '../../support/http/multipart.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';

const STATED = { reason: 'the phone is lost', ticket: 'HD-4711' };
const sha256 = ({ content }: FilePart): string => createHash('sha256').update(content).digest('hex');

interface Recorded {
  readonly id: string;
  readonly kind: string;
  readonly login_id: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
}

onAnyEngine('records of imports and protected roles', (engine) => {
  const story = storyOn(engine, {
    people: 1,
    others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK', auditor: 'ROLE_AUDITOR', member: 'ROLE_MEMBER' },
    args: [
      '--app.security.roles=ROLE_AUDITOR,ROLE_MEMBER',
      '--app.security.mfa.required-roles=ROLE_ADMIN,ROLE_HELPDESK,ROLE_AUDITOR',
    ],
  });
  let admin: Administrator;
  let desk: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    desk = await Administrator.of(story, HELP_DESK);
  });

  /** The events that `act` records about imports and the accounts that they create, oldest first. */
  const recorded = async (act: () => Promise<unknown>): Promise<readonly object[]> => {
    const read = (): Promise<readonly Recorded[]> =>
      story.database.query<Recorded>(
        `SELECT event.id AS id, event.kind AS kind, login_id, reason, detail FROM security_event event
         LEFT JOIN account ON account.id = event.user_id
         WHERE event.kind IN ('USERS_IMPORTED', 'USER_CREATED') ORDER BY event.id`,
      );
    const before = new Set((await read()).map(({ id }) => id));
    await act();
    return (await read())
      .filter(({ id }) => !before.has(id))
      .map(({ kind, login_id: id, reason, detail }) => ({
        kind,
        id,
        reason,
        detail: detail === null ? null : (JSON.parse(detail) as unknown),
      }));
  };
  const created = (id: string): object => ({ kind: 'USER_CREATED', id, reason: 'imported', detail: null });
  const imported = (reason: string | null, detail: object | null): object => ({
    kind: 'USERS_IMPORTED',
    id: null,
    reason,
    detail,
  });

  it('X7: an import records its numbers, the digest of its file, and each account with a protected role', async () => {
    const file = csv(
      'login_id,roles',
      'plain-1,ROLE_MEMBER',
      'boss-1,ROLE_ADMIN',
      'auditor-1,ROLE_AUDITOR',
      'plain-2,',
    );

    const events = await recorded(() => admin.import(file));

    expect(events).toEqual([
      imported(null, { created: '4', errors: '0', sha256: sha256(file) }),
      created('boss-1'),
      created('auditor-1'),
    ]);
  });

  it('X7: a partial import records its beginning, each account with a protected role, and its numbers at the end', async () => {
    const file = csv('login_id,roles', 'boss-2,ROLE_ADMIN', 'BOSS-1,ROLE_ADMIN', '=x,', 'plain-3,');

    const events = await recorded(() => admin.import(file, '?partial=true'));

    expect(events).toEqual([
      imported('begun', null),
      created('boss-2'),
      imported('ended', { created: '2', errors: '2', sha256: sha256(file) }),
    ]);
  });

  it('X7: the command records the same facts of an import', async () => {
    const file = csv('login_id,roles', 'boss-3,ROLE_ADMIN');
    const path = join(story.cwd, 'people.csv');
    writeFileSync(path, file.content);

    const events = await recorded(() => story.command('users', 'import', path));

    expect(events).toEqual([imported(null, { created: '1', errors: '0', sha256: sha256(file) }), created('boss-3')]);
  });

  it('X7: the help desk does not reset the second factor of an account with a custom role of required-roles', async () => {
    const [auditor, member] = [await story.subjectOf({ id: 'auditor' }), await story.subjectOf({ id: 'member' })];

    expect(await desk.send('POST', `/users/${auditor}/mfa/reset`, STATED)).toBeRefused(403, 'ACCESS_DENIED');
    expect(await desk.send('GET', `/users/${auditor}/sessions`)).toBeRefused(403, 'ACCESS_DENIED');
    expect(await desk.send('POST', `/users/${member}/mfa/reset`, STATED)).toBeAnswered(204);
  });

  it('X7: an administrator does not change the own mail address, and a colleague does', async () => {
    const own = `/users/${await story.subjectOf({ id: ADMIN })}`;

    expect(await admin.send('PATCH', own, { email: 'elsewhere@evil.example' })).toBeRefused(409, 'CONFLICT');
    expect(await admin.send('PATCH', own, { email: null, mfa_required: true })).toBeAnswered(200);
    await admin.send('POST', '/users', { id: 'colleague', pw: PASSWORD, roles: ['ROLE_ADMIN'] });
    const colleague = await Administrator.of(story, 'colleague');
    expect(await colleague.send('PATCH', own, { email: 'boss@harbour.example' })).toBeAnswered(200);
    expect(await admin.send('PATCH', own, { email: null })).toBeRefused(409, 'CONFLICT');
  });
});

onSqlite('app.security.protected-roles', (engine) => {
  const story = storyOn(engine, {
    people: 1,
    others: { [HELP_DESK]: 'ROLE_HELPDESK', auditor: 'ROLE_AUDITOR', member: 'ROLE_MEMBER' },
    args: [
      '--app.security.roles=ROLE_AUDITOR,ROLE_MEMBER',
      '--app.security.mfa.required-roles=ROLE_HELPDESK,ROLE_MEMBER',
      '--app.security.protected-roles=ROLE_AUDITOR',
    ],
  });

  it('X7: protected-roles alone decides which custom roles the help desk does not act on', async () => {
    const desk = await Administrator.of(story, HELP_DESK);
    const reset = async (id: string): ReturnType<Administrator['send']> =>
      desk.send('POST', `/users/${await story.subjectOf({ id })}/mfa/reset`, STATED);

    expect(await reset('auditor')).toBeRefused(403, 'ACCESS_DENIED');
    expect(await reset('member')).toBeAnswered(204);
  });
});
