import { expect, it } from 'vitest';
import { adminSceneOn, HOSTILE, loginIdsIn, ADMINISTRATION, USERS } from '../../../support/pages/admin-pages.js';
import { csv } from '../../../support/login/administrator.js';
import type { Answer } from '../../../support/http/http-client.js';
import { openMailboxes } from '../../../support/mail/mailbox.js';
import { unescaped } from '../../../support/pages/pages.js';
import { onAnyEngine } from '../../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();
const EVENTS = `${ADMINISTRATION}/events`;

onAnyEngine('pages of the import and of the events', (engine) => {
  const scene = adminSceneOn(engine, MAILBOXES[engine.name]);
  const { story } = scene;

  const file = csv('login_id,password', 'imported-1,five grey herons & 2 piers', 'imported-2,x');

  it('a preview of an import shows each faulty row and stores nothing; then all rows or the valid ones', async () => {
    const find = async (): Promise<readonly string[]> =>
      loginIdsIn(await scene.admin.visit(`${USERS}?query=imported-`));
    const preview = await scene.admin.upload('preview', file);
    expect(preview.text).toContain('Nothing was stored. 1 user would be created; 1 error.');
    expect(preview.text).toContain('choose the file again');
    expect(rowsIn(preview)).toEqual([
      'imported-1 Line 2 · password New',
      'imported-2 Line 3 · password Error password is too short',
    ]);
    expect(await find()).toEqual([]);
    const all = await scene.admin.upload('all', file);
    expect(all.text).toContain('0 users were created; 1 error.');
    expect(all.text).toMatch(/<td>3<\/td><td>password<\/td>/);
    expect(await find()).toEqual([]);
    expect((await scene.admin.upload('partial', file)).text).toContain('1 user was created; 1 error.');
    expect(await find()).toEqual(['imported-1']);
    const picture = await scene.admin.upload('all', {
      content: 'GIF89a',
      fileName: 'picture.gif',
      mediaType: 'image/gif',
    });
    expect(picture).toBeAnswered(400);
    expect(picture.text).toContain('This file is not a CSV or JSON lines file of users.');
  });

  it('U16: a preview names the roles of a file that are not known yet', async () => {
    const content = csv('login_id,roles', 'role-1,ROLE_STOKER', 'role-2,"ROLE_ADMIN,ROLE_STOKER"');
    const told = 'The file assigns roles that no user has yet and that the configuration does not name: ROLE_STOKER.';

    expect((await scene.admin.upload('preview', content)).text).toContain(told);
    expect((await scene.admin.upload('all', content)).text).toContain('2 users were created; 0 errors.');
    const known = await scene.admin.upload('preview', csv('login_id,roles', 'role-3,ROLE_STOKER'));
    expect(known.text).toContain('1 user would be created');
    expect(known.text).not.toContain('The file assigns roles');
  });

  it('a preview names the first ten users of a file, counts the others, and lists the errors of all rows', async () => {
    const rows = Array.from({ length: 45 }, (_, index) => `many-${index},${index === 3 || index === 40 ? 'x' : ''},,`);
    const special = 'many-special,,s@harbour.example,"ROLE_CLERK,ROLE_TELLER"';
    const content = csv('login_id,password,email,roles', special, 'BOSS,,,', ...rows, 'many-5,,,');
    const preview = await scene.admin.upload('preview', content);
    const shown = rowsIn(preview);

    expect(preview.text).toContain('44 users would be created; 4 errors.');
    expect(shown).toHaveLength(12);
    expect(shown.slice(0, 3)).toEqual([
      'many-special Line 2 · s@harbour.example · ROLE_CLERK, ROLE_TELLER New',
      'BOSS Line 3 Error login_id is taken',
      'many-0 Line 4 New',
    ]);
    expect(shown[5]).toBe('many-3 Line 7 · password Error password is too short');
    expect(shown.slice(10)).toEqual(['44 password is too short', '49 login_id is taken']);
    expect(preview.text).toContain('and 36 more');
    expect(preview.text).toContain('Import 44 users and skip rows with errors');
  });

  it('L4: a preview shows markup in a file as text, and none of its secrets', async () => {
    const secret = 'seven dry anchors & 9 harbours';
    const preview = await scene.admin.upload(
      'preview',
      csv('login_id,password,email,roles', `"${HOSTILE.replaceAll('"', '""')}",${secret},"<b>@x.example",ROLE_<i>`),
    );

    expect(preview.text).not.toMatch(/<script>|<img src=x|<b>|<i>/);
    expect(unescaped(preview.text)).toContain(HOSTILE);
    expect(preview.text).not.toContain('seven dry anchors');
  });

  it('A6: the page lists the rules of every column', async () => {
    const { text } = await scene.admin.visit(`${ADMINISTRATION}/import`);

    const [, list = ''] = /<summary>Rules for each column<\/summary>\s*<ul>([^]*?)<\/ul>/.exec(text) ?? [];
    for (const rule of ['login_id:', 'password:', 'password_hash:', 'email:', 'roles:', 'otpauth_uri:', '72 bytes']) {
      expect(unescaped(list)).toContain(rule);
    }
  });

  it('S5: no address of the import page has the token of the form, also after an import', async () => {
    for (const page of [
      await scene.admin.visit(`${ADMINISTRATION}/import`),
      await scene.admin.upload('preview', file),
    ]) {
      expect(page).toBeAnswered(200);
      expect(page.text).not.toMatch(/(?:href|action)="[^"]*csrf/);
      expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'");
    }
    expect((await scene.admin.visit(USERS)).headers.get('content-security-policy')).not.toContain('connect-src');
  });

  /** The texts of the rows of a result. */
  function rowsIn({ text }: Answer): readonly string[] {
    const [, result = ''] = text.split('id="result"');
    const rows = result.match(/<li><div>[^]*?<\/li>|<tr><td>[^]*?<\/tr>/g) ?? [];
    return rows.map((row) =>
      unescaped(
        row
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    );
  }

  it('U14: an unknown user, reversed days and a filter without a match have a message each', async () => {
    const visit = async (query: string): Promise<string> => (await scene.admin.visit(`${EVENTS}?${query}`)).text;

    expect(await visit('user=nobody-here')).toContain('There is no user with this username');
    expect(await visit('from=2026-02-02&to=2026-02-01')).toContain('The first day is after the last one');
    expect(await visit('from=2001-01-01&to=2001-01-01')).toContain('No event matches.');
  });

  it('U14: days begin at the midnight of the reader, and the page names the time zone', async () => {
    const page = await scene.admin.visit(`${EVENTS}?from=2026-02-01&to=2026-02-01&zone=Asia/Seoul`);

    expect(page.text).toContain('<span data-zone>Asia/Seoul</span>');
    const exported = unescaped(page.text);
    expect(exported).toContain('from=2026-01-31T15%3A00%3A00.000Z&to=2026-02-01T15%3A00%3A00.000Z');
    expect((await scene.admin.visit(EVENTS)).text).toContain('<span data-zone>UTC</span>');
  });

  it('U14: an event says what a change replaced, and names a deleted user by the pseudonym of the log', async () => {
    const { admin, story } = scene;
    const user = story.person();
    const subject = await story.subjectOf(user);
    await admin.done(user, 'roles', { ROLE_HELPDESK: 'true', reason: 'new duty' });
    await admin.done(user, 'change', { email: 'duty@harbour.example', mfa_required: 'true' });
    const events = (await admin.visit(`${EVENTS}?user=${user.id}&kind=USER_CHANGED`)).text;

    expect(events).toContain('Roles: ROLE_USER → ROLE_HELPDESK');
    expect(events).toContain('Second factor: required');
    expect(events).toContain('Mail address: added');
    expect(events).not.toContain('duty@harbour.example');
    await admin.act(user, 'delete', { reason: 'left' });
    const all = (await admin.visit(`${EVENTS}?kind=USER_DELETED`)).text;
    expect(all).toMatch(new RegExp(`<td>id:[0-9a-f]{12} · ${subject}</td>`));
    expect(all).not.toContain(`>${user.id}<`);
  });

  it('the events show a filter, and the links export what it shows', async () => {
    const user = await story.enrolled();
    const [other] = [await story.enrolled()];
    const page = await scene.admin.visit(`${EVENTS}?user=${user.id}&kind=MFA_CONFIRMED&from=2020-01-01&to=2099-01-01`);
    const rows = [...page.text.matchAll(/<code>([A-Z_]+)<\/code>/g)].map(([, kind]) => kind);
    expect(rows).toEqual(['MFA_CONFIRMED']);
    expect(page.text).toContain(`value="${user.id}"`);

    for (const format of ['csv', 'jsonl']) {
      const [, path = ''] =
        new RegExp(`href="/auth(/admin/events/export\\?format=${format}[^"]*)"`).exec(page.text) ?? [];
      const exported = await scene.admin.client.get(unescaped(path));
      expect(exported).toBeAnswered(200);
      expect(exported.text).toContain(await story.subjectOf(user));
      expect(exported.text).not.toContain(await story.subjectOf(other));
    }
    expect((await scene.admin.visit(`${EVENTS}?user=nobody-here`)).text).not.toContain('/admin/events/export');
    expect(await scene.admin.visit(`${EVENTS}?to=9999-12-31`)).toBeAnswered(200);
    const older = /href="\/auth(\/portal\/admin\/events\?[^"]*after=[^"]*)"/.exec(
      (await scene.admin.visit(EVENTS)).text,
    )?.[1];
    expect(await scene.admin.visit(unescaped(older ?? ''))).toBeAnswered(200);
  });
});
