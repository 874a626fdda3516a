import { beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_URL } from '../support/account-links.js';
import { AdminBrowser, USERS } from '../support/admin-pages.js';
import { ADMIN, Administrator, csv, HELP_DESK } from '../support/administrator.js';
import { freePort } from '../support/free-port.js';
import type { Answer } from '../support/http-client.js';
import { type Enrolled, PASSWORD, refresh, storyOn } from '../support/login-story.js';
import { mailboxAt } from '../support/mailbox.js';
import { follow, submit, unescaped, visit } from '../support/pages.js';
import { onEachEngine } from '../support/story-database.js';

const CONTEXT = '/auth';
const PORTS = { SQLite: await freePort(), MariaDB: await freePort(), Galera: 0 };
const HOSTILE = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;
const STATED = { reason: 'the phone is lost', ticket: 'HD-4711' };
const NEW_USER = `${USERS}/new-user`;
const EVENTS = `${USERS}/events`;

onEachEngine('pages of the administration', (engine) => {
  const mailbox = mailboxAt(PORTS[engine.name]);
  const story = storyOn(engine, {
    people: 60,
    others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' },
    args: [
      ...mailbox.args,
      `--server.servlet.context-path=${CONTEXT}`,
      `--app.security.public-url=${PUBLIC_URL}`,
      '--app.security.mfa.trusted-device.enabled=true',
    ],
  });
  let boss: Enrolled;
  let desk: Enrolled;
  let admin: AdminBrowser;
  let helpDesk: AdminBrowser;

  beforeAll(async () => {
    boss = (await Administrator.of(story)).person;
    desk = (await Administrator.of(story, HELP_DESK)).person;
  });

  /** Signs both in again, so that their one-time codes are recent. */
  async function signIn(): Promise<void> {
    admin = await AdminBrowser.of(story, boss);
    helpDesk = await AdminBrowser.of(story, desk);
  }

  const added = (id: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    admin.send(NEW_USER, { id, email: '', roles: '', access: 'temporary', ...more });
  const passwordIn = (page: Answer): string =>
    unescaped(/ id="password" data-text="([^"]*)"/.exec(page.text)?.[1] ?? '');
  const loginIdsIn = ({ text }: Answer): readonly string[] =>
    [...text.matchAll(/<td><a href="[^"]*\/users\/[^"]*">([^<]*)<\/a>/g)].map(([, id = '']) => id);

  describe('who may use them', () => {
    beforeAll(signIn);

    it('a visitor without a session goes to the sign-in page and comes back', async () => {
      const answer = await visit(story.client(), EVENTS);

      expect(answer).toBeAnswered(303);
      expect(answer.headers.get('location')).toContain(encodeURIComponent(`${CONTEXT}${EVENTS}`));
    });

    it('a user without the roles gets an error page, for every page and act', async () => {
      const user = await AdminBrowser.of(story, await story.enrolled());
      const path = await user.userPath(user.person);

      for (const page of [USERS, NEW_USER, path, `${path}/delete`, `${USERS}/import`, EVENTS]) {
        const refused = await user.visit(page);
        expect(refused).toBeAnswered(403);
        expect(refused.text).toContain('ACCESS_DENIED');
      }
      for (const act of ['unlock', 'reset', 'change', 'password', 'end-session', 'delete']) {
        expect(await user.act(user.person, act, STATED)).toBeAnswered(403);
      }
      expect((await user.visit('/')).text).not.toContain(USERS);
    });

    it('A10: an administrator whose code is five minutes old enters one and comes back to the page', async () => {
      story.clock.advance(301);
      const sent = await admin.visit(EVENTS);
      expect(sent.headers.get('location')).toMatch(/\/2fa\/portal\/verify\?return_to=/);
      const act = await admin.act(boss, 'unlock');
      expect(act).toBeAnswered(401);
      expect(act.text).toContain(`href="${CONTEXT}/2fa/portal/verify`);

      const page = await follow(admin.client, sent);
      const back = await submit(admin.client, page, { code: story.nextCode(boss) });

      expect(back.headers.get('location')).toBe(CONTEXT + EVENTS);
      expect(await follow(admin.client, back)).toBeAnswered(200);
      await signIn();
    });

    it('a form without its token is rejected', async () => {
      const user = await story.enrolled();
      expect(await admin.act(user, 'unlock', { csrf: 'x' })).toBeAnswered(403);
      expect(await admin.act(user, 'delete', { csrf: '' })).toBeAnswered(403);
      expect(await admin.user(user)).toBeAnswered(200);
    });
  });

  describe('finding and creating users', () => {
    beforeAll(signIn);

    it('the list shows thirty users of a search and leads to the next ones', async () => {
      const first = await admin.visit(`${USERS}?query=PERSON-`);
      const [, next = ''] = /href="\/auth(\/portal\/admin\?query=PERSON-&amp;after=[^"]*)"/.exec(first.text) ?? [];
      const second = await admin.visit(unescaped(next));

      expect(loginIdsIn(first)).toHaveLength(30);
      expect(loginIdsIn(second)).toHaveLength(30);
      expect(new Set([...loginIdsIn(first), ...loginIdsIn(second)]).size).toBe(60);
      expect((await admin.visit(`${USERS}?query=nobody-here`)).text).toContain('No user was found.');
    });

    it('a new user with a mail address gets an invitation', async () => {
      const email = 'invited@harbour.example';
      const done = await follow(admin.client, await added('invited', { email, access: 'invite' }));

      expect(done.text).toContain('The invitation is on its way.');
      expect((await mailbox.mailTo(email)).text).toContain(`${PUBLIC_URL}/portal/invitation?token=`);
      expect((await admin.done({ id: 'invited' }, 'invite')).text).toContain('The invitation is on its way.');
      await mailbox.mailTo(email, '', 2);
    });

    it('a new user without one gets a temporary password, which is shown once and must be replaced', async () => {
      const page = await added('temporary', { roles: 'ROLE_CLERK ROLE_TELLER' });
      const pw = passwordIn(page);

      expect(page.text).toContain('Give this password to temporary.');
      expect((await admin.user({ id: 'temporary' })).text).not.toContain(pw);
      expect((await admin.user({ id: 'temporary' })).text).toContain('ROLE_CLERK, ROLE_TELLER');
      const signedIn = await story.client().post('/login', { id: 'temporary', pw });
      expect(signedIn).toBeRefused(403, 'PASSWORD_CHANGE_REQUIRED');
    });

    it.each([
      ['a name that is taken', { id: ADMIN }, 409, 'This username is taken.'],
      ['no role names', { roles: 'boss' }, 400, 'Role names look like ROLE_NAME.'],
      ['a reserved role', { roles: 'ROLE_PRE_MFA' }, 400, 'Role names look like ROLE_NAME.'],
      ['no mail address', { email: 'harbour' }, 400, 'A valid mail address is needed.'],
      ['an invitation without an address', { access: 'invite' }, 400, 'A valid mail address is needed.'],
      ['a control character and markup', { id: `${HOSTILE}\u0001` }, 400, 'This username cannot be used.'],
      ['markup as a role', { roles: HOSTILE }, 400, 'Role names look like ROLE_NAME.'],
    ])('the form for a new user shows an error about %s, and what was typed', async (_, typed, status, told) => {
      const given = { id: 'typed-name', email: 'typed@harbour.example', roles: 'ROLE_TYPED', ...typed };
      const typedNothing = 'access' in typed ? { email: '' } : {};
      const page = await added(given.id, { ...given, ...typedNothing });

      expect(page).toBeAnswered(status);
      expect(page.text).toContain(told);
      expect(unescaped(page.text)).toContain(`name="id" value="${given.id.replace('\u0001', '')}`);
      expect(unescaped(page.text)).toContain(`name="roles" value="${given.roles}"`);
      expect(page.text).not.toMatch(/<script>|<img src=x/);
    });
  });

  describe('acts on a user', () => {
    beforeAll(signIn);

    it('unlocks a locked user', async () => {
      const user = await story.enrolled();
      await story.lock(user);
      expect((await admin.user(user)).text).toContain('Locked until');

      expect((await admin.done(user, 'unlock')).text).toContain('The account is unlocked.');
      expect((await admin.done(user, 'unlock')).text).toContain('There was no lock and no wrong code.');
      await story.signIn(user);
    });

    it('resets a second factor for a reason, and records it', async () => {
      const user = await story.enrolled();
      const page = await admin.act(user, 'reset', { reason: ' ', ticket: 'HD-1' });
      expect(page).toBeAnswered(400);
      expect(page.text).toContain('Give a reason of at most 200 characters.');
      expect(page.text).toContain('value="HD-1"');
      expect(page.text).toMatch(/<details open>\s*<summary>Reset second factor/);

      expect((await admin.done(user, 'reset', STATED)).text).toContain('The second factor is reset.');
      expect((await story.login(user)).body).toMatchObject({ enrolment_required: true });
      const events = await story.events(user);
      expect(events.find(({ kind }) => kind === 'MFA_RESET_BY_ADMIN')).toMatchObject({
        actor: await story.subjectOf(boss),
      });
    });

    it('changes the mail address, the roles and the demand for a second factor, or keeps what was typed', async () => {
      const user = story.person();
      const change = { email: 'new@harbour.example', roles: 'ROLE_CLERK,ROLE_TELLER', mfa_required: 'true' };
      const wrong = await admin.act(user, 'change', { ...change, roles: 'clerk', ...STATED });
      expect(wrong).toBeAnswered(400);
      expect(wrong.text).toContain('Role names look like ROLE_NAME.');
      for (const kept of ['value="new@harbour.example"', 'value="clerk"', `value="${STATED.reason}"`, ' checked>']) {
        expect(wrong.text).toContain(kept);
      }

      const done = await admin.done(user, 'change', change);
      expect(done.text).toContain('The changes are saved.');
      expect(done.text).toContain('value="ROLE_CLERK, ROLE_TELLER"');
      expect((await story.login(user)).body).toMatchObject({ enrolment_required: true });
      await admin.done(user, 'change', { email: '', roles: '' });
      expect((await story.login(user)).body).toMatchObject({ mfa_required: false });
    });

    it('disables and enables an account, and never the last administrator', async () => {
      const user = story.person();
      const { client } = await story.signInByPassword(user);
      expect((await admin.done(user, 'status', { status: 'disabled' })).text).toContain('The account is disabled');
      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
      expect((await admin.done(user, 'status', { status: 'active' })).text).toContain('The account is enabled.');
      await story.login(user);

      const refused = await admin.act(boss, 'change', { roles: '' });
      expect(refused).toBeAnswered(409);
      expect(await admin.act(boss, 'reset', STATED)).toBeAnswered(409);
    });

    it('sets a temporary password', async () => {
      const user = story.person();
      const pw = passwordIn(await admin.act(user, 'password'));

      expect(await story.client().post('/login', { id: user.id, pw: user.password })).toBeRefused(
        401,
        'INVALID_CREDENTIALS',
      );
      expect(await story.client().post('/login', { id: user.id, pw })).toBeRefused(403, 'PASSWORD_CHANGE_REQUIRED');
    });

    it('ends one session, all sessions, and the trust in a browser', async () => {
      const user = await story.enrolled();
      const trusted = await story.signIn(user, undefined, { trust_device: true });
      const idOf = async (act: string): Promise<string> => {
        const [, id = ''] =
          new RegExp(`/${act}"[^]*? name="id" value="([^"]*)"`).exec((await admin.user(user)).text) ?? [];
        return id;
      };

      expect((await admin.done(user, 'end-session', { id: await idOf('end-session') })).text).toContain(
        'The session is ended.',
      );
      expect(await refresh(trusted.client)).toBeRefused(401, 'REFRESH_INVALID');
      expect((await admin.done(user, 'end-device', { id: await idOf('end-device') })).text).toContain(
        'no longer trusted',
      );
      expect((await story.login(user, trusted.client)).body).toHaveProperty('mfa_token');
      expect((await admin.done(user, 'end-session')).text).toContain('All sessions are ended.');
      expect(await refresh(user.client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await admin.act(user, 'end-device', { id: 'none' })).toBeAnswered(404);
    });

    it('offers the data of a person for export, and deletes the account', async () => {
      const user = await story.enrolled();
      const page = await admin.visit(`${await admin.userPath(user)}/delete`);
      const [, path = ''] = /href="\/auth(\/admin\/users\/[^"]*\/export)"/.exec(page.text) ?? [];
      const exported = await admin.client.get(path);
      expect(exported.text).toContain(user.id);
      const wrong = await admin.act(user, 'delete', { reason: 'x'.repeat(201), ticket: 'HD-2' });
      expect(wrong).toBeAnswered(400);
      expect(wrong.text).toContain('value="HD-2"');

      const done = await follow(admin.client, await admin.act(user, 'delete', STATED));
      expect(done.text).toContain(`${user.id} is deleted.`);
      expect(await story.client().post('/login', { id: user.id, pw: PASSWORD })).toBeRefused(
        401,
        'INVALID_CREDENTIALS',
      );
    });

    it('H4: rejects long and hostile input with an error page, never with a failure', async () => {
      const user = story.person();
      const texts = [HOSTILE, 'x'.repeat(1025), '\u0000', '\ud800', '가'.repeat(400), "' OR 1=1 --"];
      for (const text of texts) {
        for (const act of ['reset', 'unlock', 'change', 'status', 'end-session', 'end-device', 'delete']) {
          const typed = act.startsWith('end')
            ? { id: text }
            : { reason: 'x', ticket: text, email: text, roles: text, status: text };
          const answer = await admin.act(user, act, typed);
          expect([400, 404], `${act} ${text.slice(0, 20)}: ${answer.text}`).toContain(answer.status);
          expect(answer.text).not.toMatch(/<script>alert|<img src=x/);
        }
        const query = encodeURIComponent(text.replace('\ud800', '\ufffd'));
        for (const path of [
          `?query=${query}&after=${query}&deleted=${query}`,
          `/events?user=${query}&kind=${query}&from=${query}&to=${query}&after=${query}`,
        ]) {
          const page = await admin.visit(USERS + path);
          // 431: the head of the request is too long.
          expect([200, 400, 431], path.slice(0, 60)).toContain(page.status);
          expect(page.text).not.toMatch(/<script>alert|<img src=x/);
        }
        expect((await admin.visit(`${USERS}/users/${query}`)).status).toBeLessThan(500);
      }
      expect(await admin.user(user)).toBeAnswered(200);
    });
  });

  describe('the help desk', () => {
    beforeAll(signIn);

    it('A11: the help desk sees only unlock and reset, and states a reason and a ticket', async () => {
      const user = await story.enrolled();
      await story.lock(user);
      const page = await helpDesk.user(user);
      const actions = [...page.text.matchAll(/action="[^"]*\/users\/[^"/]*\/([\w-]*)"/g)].map(([, act]) => act);
      expect(actions).toEqual(['unlock', 'reset']);
      expect((await helpDesk.visit(USERS)).text).not.toMatch(/new-user|admin\/import|admin\/events/);

      const wrong = await helpDesk.act(user, 'unlock', { reason: STATED.reason });
      expect(wrong).toBeAnswered(400);
      expect(wrong.text).toContain('Give the number of the ticket');
      expect(wrong.text).toContain(`value="${STATED.reason}"`);
      expect((await helpDesk.done(user, 'unlock', STATED)).text).toContain('The account is unlocked.');
      expect((await helpDesk.done(user, 'reset', STATED)).text).toContain('The second factor is reset.');
    });

    it('A11: the help desk is refused for administrators and for every other page and act', async () => {
      const user = story.person();
      const page = await helpDesk.user(boss);
      expect(page.text).toContain('Only an administrator may act on it.');
      expect(page.text).not.toMatch(/action="[^"]*\/users\//);
      for (const act of ['unlock', 'reset']) expect(await helpDesk.act(boss, act, STATED)).toBeAnswered(403);
      for (const act of ['change', 'password', 'status', 'invite', 'end-session', 'end-device', 'delete']) {
        const typed = { ...(act.startsWith('end') ? {} : STATED), ...(act === 'status' && { status: 'disabled' }) };
        expect(await helpDesk.act(user, act, typed), act).toBeAnswered(403);
      }
      for (const path of [NEW_USER, EVENTS, `${USERS}/import`, `${await helpDesk.userPath(user)}/delete`]) {
        expect(await helpDesk.visit(path), path).toBeAnswered(403);
      }
      expect(await helpDesk.send(NEW_USER, { id: 'x', access: 'temporary' })).toBeAnswered(403);
      await story.login(user);
    });
  });

  describe('import and events', () => {
    beforeAll(signIn);

    const file = csv('login_id,password', 'imported-1,five grey herons & 2 piers', 'imported-2,x');

    it('a preview of an import shows each faulty row and stores nothing; then all rows or the valid ones', async () => {
      const find = async (): Promise<readonly string[]> => loginIdsIn(await admin.visit(`${USERS}?query=imported-`));
      const preview = await admin.upload('preview', file);
      expect(preview.text).toContain('Nothing was stored. 1 user would be created; 1 error.');
      expect(preview.text).toMatch(/<td>3<\/td><td>password<\/td>/);
      expect(await find()).toEqual([]);
      expect((await admin.upload('all', file)).text).toContain('0 users were created; 1 error.');
      expect(await find()).toEqual([]);
      expect((await admin.upload('partial', file)).text).toContain('1 user was created; 1 error.');
      expect(await find()).toEqual(['imported-1']);
      const picture = await admin.upload('all', { content: 'GIF89a', fileName: 'picture.gif', mediaType: 'image/gif' });
      expect(picture).toBeAnswered(400);
      expect(picture.text).toContain('This file is not a CSV or JSON lines file of users.');
    });

    it('the events show a filter, and the links export what it shows', async () => {
      const user = await story.enrolled();
      const [other] = [await story.enrolled()];
      const page = await admin.visit(`${EVENTS}?user=${user.id}&kind=MFA_CONFIRMED&from=2020-01-01&to=2099-01-01`);
      const rows = [...page.text.matchAll(/<code>([A-Z_]+)<\/code>/g)].map(([, kind]) => kind);
      expect(rows).toEqual(['MFA_CONFIRMED']);
      expect(page.text).toContain(`value="${user.id}"`);

      for (const format of ['csv', 'jsonl']) {
        const [, path = ''] =
          new RegExp(`href="/auth(/admin/events/export\\?format=${format}[^"]*)"`).exec(page.text) ?? [];
        const exported = await admin.client.get(unescaped(path));
        expect(exported).toBeAnswered(200);
        expect(exported.text).toContain(await story.subjectOf(user));
        expect(exported.text).not.toContain(await story.subjectOf(other));
      }
      expect((await admin.visit(`${EVENTS}?user=nobody-here`)).text).not.toContain('/admin/events/export');
      expect(await admin.visit(`${EVENTS}?to=9999-12-31`)).toBeAnswered(200);
      const older = /href="\/auth(\/portal\/admin\/events\?[^"]*after=[^"]*)"/.exec(
        (await admin.visit(EVENTS)).text,
      )?.[1];
      expect(await admin.visit(unescaped(older ?? ''))).toBeAnswered(200);
    });
  });
});
