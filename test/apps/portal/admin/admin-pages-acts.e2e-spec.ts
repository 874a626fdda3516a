import { expect, it } from 'vitest';
import { adminSceneOn, HOSTILE, passwordIn, STATED, ADMINISTRATION } from '../../../support/pages/admin-pages.js';
import { PASSWORD, type Person, refresh } from '../../../support/login/login-story.js';
import { openMailboxes } from '../../../support/mail/mailbox.js';
import { follow } from '../../../support/pages/pages.js';
import { onAnyEngine } from '../../../support/database/story-database.js';
import { waitUntil } from '../../../support/runner/wait-until.js';

const MAILBOXES = await openMailboxes();
const ACTS = ['unlock', 'reset', 'change', 'roles', 'password', 'invite', 'disable', 'enable', 'delete'];

onAnyEngine('the page about a user', (engine) => {
  const scene = adminSceneOn(engine, MAILBOXES[engine.name]);
  const { story } = scene;

  /** The last event of this kind about a user. */
  async function lastOf(user: Pick<Person, 'id'>, kind: string): Promise<object | undefined> {
    const event = (await story.events(user)).findLast((each) => each.kind === kind);
    return event && { ...event, detail: JSON.parse(event.detail ?? '{}') as object };
  }

  it.each(ACTS)('the page of the act %s has one form, which is sent to its own path', async (act) => {
    const { admin } = scene;
    const user = story.person();
    const path = `/auth${await admin.userPath(user)}`;
    const { text } = await admin.user(user, act);

    const forms = [...text.matchAll(/action="([^"]*\/users\/[^"]*)"/g)].map(([, action]) => action);
    expect(forms).toEqual([`${path}/${act}`]);
    expect(text).toContain(`href="${path}"`);
    expect(text).toMatch(new RegExp(`<h1>[^<]*${user.id}`));
    const needsReason = ['reset', 'roles', 'disable', 'delete'].includes(act);
    expect(/<input id="reason"[^>]* required>/.test(text)).toBe(needsReason);
  });

  it('unlocks a locked user', async () => {
    const user = await story.enrolled();
    await story.lock(user);

    expect((await scene.admin.done(user, 'unlock')).text).toContain('The account is unlocked.');
    expect((await scene.admin.done(user, 'unlock')).text).toContain('There was no lock and no failed attempt.');
    await story.signIn(user);
  });

  it('resets a second factor for a reason, and records it', async () => {
    const user = await story.enrolled();

    expect((await scene.admin.done(user, 'reset', STATED)).text).toContain('The second factor is reset.');
    expect((await story.login(user)).body).toMatchObject({ enrolment_required: true });
    expect(await lastOf(user, 'MFA_RESET_BY_ADMIN')).toMatchObject({
      actor: await story.subjectOf(scene.boss),
      detail: { stated_reason: STATED.reason, ticket: STATED.ticket },
    });
  });

  it('changes the mail address and the demand for a second factor, or keeps what was typed', async () => {
    const { admin } = scene;
    const user = story.person();
    const wrong = await admin.act(user, 'change', { email: 'harbour', mfa_required: 'true', ...STATED });
    expect(wrong).toBeAnswered(400);
    expect(wrong.text).toContain('A valid mail address is needed.');
    for (const kept of ['value="harbour"', `value="${STATED.reason}"`, ' checked>']) {
      expect(wrong.text).toContain(kept);
    }

    const done = await admin.done(user, 'change', { email: 'new@harbour.example', mfa_required: 'true' });
    expect(done.text).toContain('The changes are saved.');
    expect(done.text).toContain('new@harbour.example');
    expect(done.text).toContain('Required of this user.');
    expect((await story.login(user)).body).toMatchObject({ enrolment_required: true });
    await admin.done(user, 'change', { email: '' });
    expect((await story.login(user)).body).toMatchObject({ mfa_required: false });
  });

  it('changes name and groups, and marks an address as verified, which another address is not', async () => {
    const { admin } = scene;
    const user = story.person();
    const facts = { name: 'Ada <b>Lovelace</b>', groups: 'ops, Domain Users' };
    const first = await admin.done(user, 'change', { ...facts, email: 'a@harbour.example', email_verified: 'true' });
    expect(first.text).toContain('<dd>Ada &lt;b&gt;Lovelace&lt;/b&gt;</dd>');
    expect(first.text).toContain('<dd>Domain Users, ops</dd>');
    expect(first.text).toContain('a@harbour.example <span class="badge good">Verified</span>');

    const again = await admin.done(user, 'change', { ...facts, email: 'b@harbour.example' });
    expect(again.text).toContain('b@harbour.example <span class="badge">Not verified</span>');

    const form = await admin.user(user, 'change');
    expect(form.text).toContain('value="Ada &lt;b&gt;Lovelace&lt;/b&gt;"');
    expect(form.text).toContain('value="Domain Users, ops"');
    const wrong = await admin.act(user, 'change', { ...facts, name: 'a\u0007' });
    expect(wrong).toBeAnswered(400);
    expect(wrong.text).toContain('This name cannot be used.');
  });

  it('replaces the roles for a reason and ends the sessions, or keeps what was typed', async () => {
    const { admin } = scene;
    const user = story.person();
    const { client } = await story.signInByPassword(user);
    const wrong = await admin.act(user, 'roles', { roles: 'clerk', ...STATED });
    expect(wrong).toBeAnswered(400);
    expect(wrong.text).toContain('Role names look like ROLE_NAME.');
    expect(wrong.text).toContain('value="clerk"');

    const done = await admin.done(user, 'roles', {
      roles: 'ROLE_CLERK,ROLE_TELLER',
      new_roles: 'ROLE_CLERK,ROLE_TELLER',
      ...STATED,
    });
    expect(done.text).toContain('ROLE_CLERK, ROLE_TELLER');
    expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await lastOf(user, 'USER_CHANGED')).toMatchObject({ detail: { stated_reason: STATED.reason } });
    expect((await admin.done(user, 'roles', { roles: '', ...STATED })).text).toContain('<dd>ROLE_USER</dd>');
  });

  it('U16: the form for roles checks the stored ones, and asks once more about unknown ones', async () => {
    const { admin } = scene;
    const user = story.person();
    await story.database.query("UPDATE account SET roles = 'ROLE_PORTER' WHERE login_id = ?", [user.id]);

    expect((await admin.user(user, 'roles')).text).toContain('name="ROLE_PORTER" value="true" checked');
    const asked = await admin.act(user, 'roles', { ROLE_PORTER: 'true', roles: 'ROLE_COOK', ...STATED });
    expect(asked).toBeAnswered(400);
    expect(asked.text).toContain('name="new_roles" value="ROLE_COOK"');
    expect(asked.text).toContain(`value="${STATED.reason}"`);
    expect((await admin.user(user)).text).toContain('<dd>ROLE_PORTER</dd>');
    const typed = { ROLE_PORTER: 'true', roles: 'ROLE_COOK', new_roles: 'ROLE_COOK', ...STATED };
    expect((await admin.done(user, 'roles', typed)).text).toContain('<dd>ROLE_COOK, ROLE_PORTER</dd>');
  });

  it('disables an account for a reason, which the event and the log line have, and enables it again', async () => {
    const { admin } = scene;
    const user = story.person();
    const { client } = await story.signInByPassword(user);
    const reason = `left the company: ${user.id}`;

    expect((await admin.done(user, 'disable', { reason, ticket: 'HD-9' })).text).toContain('The account is disabled');
    expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    const actor = await story.subjectOf(scene.boss);
    const detail = { stated_reason: reason, ticket: 'HD-9' };
    expect(await lastOf(user, 'USER_CHANGED')).toMatchObject({ actor, reason: 'disabled', detail });
    const line = await waitUntil('the log has a line with the reason', () =>
      story.service.stdout.split('\n').find((each) => each.includes(reason)),
    );
    expect(line).toContain('USER_CHANGED');
    expect(line).toContain(actor);

    expect((await admin.done(user, 'enable')).text).toContain('The account is enabled.');
    await story.login(user);
  });

  it.each(['reset', 'roles', 'disable', 'delete'])(
    'the page of the act %s shows an error and does nothing without a reason, or with one that is too long',
    async (act) => {
      const { admin } = scene;
      const user = await story.enrolled();
      const before = (await story.events(user)).length;

      for (const reason of [undefined, ' ', 'x'.repeat(201)]) {
        const page = await admin.act(user, act, { ticket: 'HD-2', ...(reason !== undefined && { reason }) });
        expect(page).toBeAnswered(400);
        expect(page.text).toContain('Give a reason of at most 200 characters.');
        expect(page.text).toContain('value="HD-2"');
      }
      expect(await story.events(user)).toHaveLength(before);
    },
  );

  it('A11: no act of a page weakens the own account or removes the last administrator', async () => {
    const { admin, boss } = scene;
    for (const act of ['unlock', 'reset', 'password', 'disable', 'delete']) {
      const refused = await admin.act(boss, act, STATED);
      expect(refused, act).toBeAnswered(409);
      expect(refused.text).toContain('You cannot do this to your own account.');
    }
    expect(await admin.act(boss, 'roles', { roles: '', ...STATED })).toBeAnswered(409);
    expect(await admin.user(boss)).toBeAnswered(200);
  });

  it('sets a temporary password', async () => {
    const user = story.person();
    const pw = passwordIn(await scene.admin.act(user, 'password'));

    expect(await story.client().post('/login', { id: user.id, pw: user.password })).toBeRefused(
      401,
      'INVALID_CREDENTIALS',
    );
    expect(await story.client().post('/login', { id: user.id, pw })).toBeRefused(403, 'PASSWORD_CHANGE_REQUIRED');
  });

  it('ends one session, all sessions, and the trust in a browser', async () => {
    const { admin } = scene;
    const user = await story.enrolled();
    const trusted = await story.signIn(user, undefined, { trust_device: true });
    const idOf = async (act: string): Promise<string> => {
      const { text } = await admin.user(user, 'access');
      return new RegExp(`/${act}"[^]*? name="id" value="([^"]*)"`).exec(text)?.[1] ?? '';
    };

    const ended = await admin.done(user, 'end-session', { id: await idOf('end-session') });
    expect(ended.text).toContain('The session is ended.');
    expect(ended.text).toContain('Trusted browsers');
    expect(await refresh(trusted.client)).toBeRefused(401, 'REFRESH_INVALID');
    expect((await admin.done(user, 'end-device', { id: await idOf('end-device') })).text).toContain(
      'no longer trusted',
    );
    expect((await story.login(user, trusted.client)).body).toHaveProperty('mfa_token');
    expect((await admin.done(user, 'end-session')).text).toContain('All sessions are ended.');
    expect(await refresh(user.client)).toBeRefused(401, 'REFRESH_INVALID');
    expect(await admin.act(user, 'end-device', { id: 'none' })).toBeAnswered(404);
  });

  it('offers the data of a person for export, and deletes the account for a reason', async () => {
    const { admin } = scene;
    const user = await story.enrolled();
    const page = await admin.user(user, 'delete');
    const [, path = ''] = /href="\/auth(\/admin\/users\/[^"]*\/export)"/.exec(page.text) ?? [];
    expect((await admin.client.get(path)).text).toContain(user.id);

    const subject = await story.subjectOf(user);
    const done = await follow(admin.client, await admin.act(user, 'delete', STATED));
    expect(done.text).toContain(`${user.id} is deleted.`);
    expect(await story.client().post('/login', { id: user.id, pw: PASSWORD })).toBeRefused(401, 'INVALID_CREDENTIALS');
    const [event] = await story.database.query<{ detail: string }>(
      "SELECT detail FROM security_event WHERE kind = 'USER_DELETED' AND user_id = ?",
      [subject],
    );
    expect(JSON.parse(event?.detail ?? '{}')).toEqual({
      login_id: expect.stringMatching(/^id:[0-9a-f]{12}$/) as string,
      stated_reason: STATED.reason,
      ticket: STATED.ticket,
    });
  });

  it('H4: rejects long and hostile input with an error page, never with a failure', async () => {
    const { admin } = scene;
    const user = story.person();
    const texts = [HOSTILE, 'x'.repeat(1025), '\u0000', '\ud800', '가'.repeat(400), "' OR 1=1 --"];
    for (const text of texts) {
      for (const act of ['reset', 'unlock', 'change', 'roles', 'disable', 'end-session', 'end-device', 'delete']) {
        const typed = act.startsWith('end') ? { id: text } : { reason: 'x', ticket: text, email: text, roles: text };
        const answer = await admin.act(user, act, typed);
        expect([400, 404], `${act} ${text.slice(0, 20)}: ${answer.text}`).toContain(answer.status);
        expect(answer.text).not.toMatch(/<script>alert|<img src=x/);
      }
      const query = encodeURIComponent(text.replace('\ud800', '\ufffd'));
      for (const path of [
        `/users?query=${query}&after=${query}&deleted=${query}`,
        `/events?user=${query}&kind=${query}&from=${query}&to=${query}&after=${query}`,
      ]) {
        const page = await admin.visit(ADMINISTRATION + path);
        // 431: the head of the request is too long.
        expect([200, 400, 431], path.slice(0, 60)).toContain(page.status);
        expect(page.text).not.toMatch(/<script>alert|<img src=x/);
      }
      expect((await admin.visit(`${ADMINISTRATION}/users/${query}`)).status).toBeLessThan(500);
    }
    expect(await admin.user(user)).toBeAnswered(200);
  });
});
