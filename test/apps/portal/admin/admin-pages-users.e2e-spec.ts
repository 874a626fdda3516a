import { describe, expect, it } from 'vitest';
import { PUBLIC_URL } from '../../../support/login/account-links.js';
import {
  adminSceneOn,
  HOSTILE,
  loginIdsIn,
  passwordIn,
  ADMINISTRATION,
  USERS,
} from '../../../support/pages/admin-pages.js';
import { ADMIN } from '../../../support/login/administrator.js';
import type { Answer } from '../../../support/http/http-client.js';
import { openMailboxes } from '../../../support/mail/mailbox.js';
import { follow, unescaped } from '../../../support/pages/pages.js';
import { onAnyEngine } from '../../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();

onAnyEngine('pages with users', (engine) => {
  const scene = adminSceneOn(engine, MAILBOXES[engine.name]);
  const { story, mailbox } = scene;

  const added = (id: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    scene.admin.send(`${ADMINISTRATION}/new-user`, { id, email: '', roles: '', access: 'temporary', ...more });

  describe('finding and creating users', () => {
    it('the list shows thirty users of a search and leads to the next ones', async () => {
      const { admin } = scene;
      const first = await admin.visit(`${USERS}?query=PERSON-`);
      const [, next = ''] =
        /href="\/auth(\/portal\/admin\/users\?query=PERSON-&amp;after=[^"]*)"/.exec(first.text) ?? [];
      const second = await admin.visit(unescaped(next));

      expect(loginIdsIn(first)).toHaveLength(30);
      expect(loginIdsIn(second)).toHaveLength(30);
      expect(new Set([...loginIdsIn(first), ...loginIdsIn(second)]).size).toBe(60);
      expect((await admin.visit(`${USERS}?query=nobody-here`)).text).toContain('No user was found.');
    });

    it('a new user with a mail address gets an invitation, and another one on request', async () => {
      const { admin } = scene;
      const email = 'invited@harbour.example';
      const done = await follow(admin.client, await added('invited', { email, access: 'invite' }));

      expect(done.text).toContain('The invitation is on its way.');
      expect((await mailbox.mailTo(email)).text).toContain(`${PUBLIC_URL}/portal/invitation?token=`);
      expect(done.text).toContain('/invite"');
      expect((await admin.done({ id: 'invited' }, 'invite')).text).toContain('The invitation is on its way.');
      await mailbox.mailTo(email, '', 2);
      expect(await admin.act(story.person(), 'invite')).toBeAnswered(400);
    });

    it('a new user without a mail address gets a temporary password, which is shown once and must be replaced', async () => {
      const { admin } = scene;
      const page = await added('temporary', { roles: 'ROLE_CLERK ROLE_TELLER', new_roles: 'ROLE_CLERK, ROLE_TELLER' });
      const pw = passwordIn(page);

      expect(page.text).toContain('Give this password to temporary.');
      expect(page.text).not.toContain('hreflang');
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
      const given = { id: 'typed-name', email: 'typed@harbour.example', roles: 'ROLE_HELPDESK', ...typed };
      const typedNothing = 'access' in typed ? { email: '' } : {};
      const page = await added(given.id, { ...given, ...typedNothing });

      expect(page).toBeAnswered(status);
      expect(page.text).toContain(told);
      expect(unescaped(page.text)).toContain(`name="id" value="${given.id.replace('\u0001', '')}`);
      expect(unescaped(page.text)).toContain(`name="roles" value="${given.roles}"`);
      expect(page.text).not.toMatch(/<script>|<img src=x/);
    });
  });

  describe('roles of a new user', () => {
    it('U16: the form offers the roles that the configuration and the accounts know', async () => {
      await story.database.query("UPDATE account SET roles = 'ROLE_IN_USE' WHERE login_id = ?", [story.person().id]);
      const { text } = await scene.admin.visit(`${ADMINISTRATION}/new-user`);
      const offered = [...text.matchAll(/<input type="checkbox" name="(ROLE_\w+)" value="true">/g)].map(
        ([, role]) => role,
      );

      expect(offered).toEqual(
        expect.arrayContaining(['ROLE_ADMIN', 'ROLE_HELPDESK', 'ROLE_IN_USE', 'ROLE_MANAGEMENT']),
      );
      expect(offered).not.toContain('ROLE_USER');
      const page = await added('by-box', { ROLE_IN_USE: 'true' });
      expect(passwordIn(page)).not.toBe('');
      expect((await scene.admin.user({ id: 'by-box' })).text).toContain('<dd>ROLE_IN_USE</dd>');
    });

    it('U16: an unknown role is asked about once more, and created only after that', async () => {
      const typed = { roles: 'ROLE_AUDTIOR', ROLE_HELPDESK: 'true' };
      const asked = await added('new-role', typed);

      expect(asked).toBeAnswered(400);
      expect(asked.text).toContain('No user has these roles yet');
      expect(asked.text).toContain('name="new_roles" value="ROLE_AUDTIOR"> Create the new roles ROLE_AUDTIOR');
      expect(asked.text).toContain('name="ROLE_HELPDESK" value="true" checked');
      expect(asked.text).toContain('name="roles" value="ROLE_AUDTIOR"');
      expect((await scene.admin.visit(`${USERS}?query=new-role`)).text).toContain('No user was found.');
      const other = await added('new-role', { roles: 'ROLE_AUDITOR', new_roles: 'ROLE_AUDTIOR' });
      expect(other).toBeAnswered(400);
      const confirmed = await added('new-role', { ...typed, new_roles: 'ROLE_AUDTIOR' });
      expect(confirmed).toBeAnswered(200);
      expect((await scene.admin.user({ id: 'new-role' })).text).toContain('ROLE_AUDTIOR, ROLE_HELPDESK');
    });

    it('U16: a field with a name that is no role is rejected', async () => {
      expect(await added('strange', { superuser: 'true' })).toBeAnswered(400);
    });
  });

  describe('pages about a user', () => {
    it('the overview shows the state of the account and of the second factor, and leads to every act', async () => {
      const user = await story.enrolled();
      await story.lock(user);
      const { text } = await scene.admin.user(user);

      expect(text).toContain('Locked until');
      expect(text).toContain('10 of 10 backup codes left');
      expect(text).not.toContain('127.0.0.1');
      const links = [...text.matchAll(/href="[^"]*\/portal\/admin\/users\/[^"/]*\/([\w-]*)"/g)].map(([, part]) => part);
      expect(links).toEqual([
        'access',
        'activity',
        'change',
        'roles',
        'password',
        'unlock',
        'reset',
        'disable',
        'delete',
      ]);
    });

    it('the overview of the own account has no act that weakens it', async () => {
      const { text } = await scene.admin.user(scene.boss);

      expect(text).toContain('This is your own account');
      expect(text).not.toMatch(/users\/[^"/]*\/(?:unlock|reset|password|disable|delete)"/);
    });

    it('the activity of a user shows ten events and leads to the older ones', async () => {
      const { admin } = scene;
      const user = await story.enrolled();
      for (let round = 0; round < 4; round += 1) await story.signIn(user);
      const first = await admin.user(user, 'activity');
      const [, next = ''] =
        /href="\/auth(\/portal\/admin\/users\/[^"]*\/activity\?after=[^"]*)"/.exec(first.text) ?? [];
      const second = await admin.visit(unescaped(next));

      const rowsIn = ({ text }: Answer): number => [...text.matchAll(/<tr><td><time/g)].length;
      expect(rowsIn(first)).toBe(10);
      expect(rowsIn(second)).toBeGreaterThan(0);
      expect(second.text).toContain('Newest');
    });

    it('H4: an unknown user or act is not found, and another id of an event shows no other user', async () => {
      const { admin } = scene;
      const user = story.person();
      const path = await admin.userPath(user);
      for (const unknown of ['/users/none', '/users/none/access', '/users/none/activity', '/users/none/unlock']) {
        expect(await admin.visit(ADMINISTRATION + unknown), unknown).toBeAnswered(404);
      }
      for (const act of ['constructor', '__proto__', 'end-session', 'nothing', '%2e%2e']) {
        expect(await admin.visit(`${path}/${act}`), act).toBeAnswered(404);
      }
      for (const after of ['x', '%00', '9'.repeat(40), encodeURIComponent(HOSTILE)]) {
        const page = await admin.visit(`${path}/activity?after=${after}`);
        expect([200, 400], after).toContain(page.status);
        expect(page.text).not.toContain(scene.boss.id);
      }
    });
  });
});
