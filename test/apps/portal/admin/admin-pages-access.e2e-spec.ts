import { describe, expect, it } from 'vitest';
import {
  AdminBrowser,
  adminSceneOn,
  CONTEXT,
  STATED,
  ADMINISTRATION,
  USERS,
} from '../../../support/pages/admin-pages.js';
import type { Answer } from '../../../support/http/http-client.js';
import { openMailboxes } from '../../../support/mail/mailbox.js';
import { follow, submit, unescaped, visit } from '../../../support/pages/pages.js';
import { onAnyEngine } from '../../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();
const NEW_USER = `${ADMINISTRATION}/new-user`;
const EVENTS = `${ADMINISTRATION}/events`;
const APPLICATIONS = `${ADMINISTRATION}/applications`;
const ACTS = ['unlock', 'reset', 'change', 'roles', 'password', 'invite', 'disable', 'enable', 'delete'];
const ENDS = ['end-session', 'end-device'];

onAnyEngine('access to the pages of the administration', (engine) => {
  const scene = adminSceneOn(engine, MAILBOXES[engine.name]);
  const { story } = scene;

  describe('visitors and users', () => {
    it('a visitor without a session goes to the sign-in page and comes back', async () => {
      const answer = await visit(story.client(), EVENTS);

      expect(answer).toBeAnswered(303);
      expect(answer.headers.get('location')).toContain(encodeURIComponent(`${CONTEXT}${EVENTS}`));
    });

    it('a user without the roles gets an error page, for every page and act', async () => {
      const user = await AdminBrowser.of(story, await story.enrolled());
      const path = await user.userPath(user.person);

      for (const page of [
        ...[ADMINISTRATION, USERS, NEW_USER, `${ADMINISTRATION}/import`, EVENTS, APPLICATIONS, path],
        ...['access', 'activity', ...ACTS].map((part) => `${path}/${part}`),
      ]) {
        const refused = await user.visit(page);
        expect(refused, page).toBeAnswered(403);
        expect(refused.text).toContain('ACCESS_DENIED');
      }
      for (const act of [...ACTS, ...ENDS]) expect(await user.act(user.person, act, STATED), act).toBeAnswered(403);
      expect((await user.visit('/')).text).not.toContain(ADMINISTRATION);
    });

    it('a form without its token is rejected', async () => {
      const user = await story.enrolled();
      expect(await scene.admin.act(user, 'unlock', { csrf: 'x' })).toBeAnswered(403);
      expect(await scene.admin.act(user, 'delete', { csrf: '' })).toBeAnswered(403);
      expect(await scene.admin.user(user)).toBeAnswered(200);
    });
  });

  describe('an administrator who must sign in again', () => {
    it('A10: an administrator whose code is five minutes old enters one and comes back to the page', async () => {
      story.clock.advance(301);
      const { admin, boss } = scene;
      const sent = await admin.visit(EVENTS);
      expect(sent.headers.get('location')).toMatch(/\/2fa\/portal\/verify\?return_to=/);
      const act = await admin.act(boss, 'unlock');
      expect(act).toBeAnswered(401);
      expect(linkOf(act)).toBe(`/2fa/portal/verify?return_to=${await pageOf('unlock')}`);

      const page = await follow(admin.client, sent);
      const back = await submit(admin.client, page, { code: story.nextCode(boss) });

      expect(back.headers.get('location')).toBe(CONTEXT + EVENTS);
      expect(await follow(admin.client, back)).toBeAnswered(200);
    });

    it.each([
      ['unlock', 'unlock'],
      ['delete', 'delete'],
      ['password', 'password'],
      ['end-session', 'access'],
      ['end-device', 'access'],
    ])(
      'H4: after the end of the session, the form %s leads over the sign-in page to its page %s',
      async (act, page) => {
        const admin = await AdminBrowser.of(story, scene.boss);
        const path = `${await admin.userPath(scene.boss)}/${act}`;
        const refused = await admin.sendAfterSignOut(path, { ...STATED });

        expect(refused).toBeAnswered(401);
        expect(linkOf(refused)).toBe(`/portal/login?return_to=${await pageOf(page)}`);

        const signIn = await visit(admin.client, linkOf(refused));
        const half = await submit(admin.client, signIn, { id: scene.boss.id, pw: scene.boss.password });
        const code = await follow(admin.client, half);
        const back = await submit(admin.client, code, { code: story.nextCode(scene.boss) });
        expect(back.headers.get('location')).toBe(decodeURIComponent(await pageOf(page)));
        expect(await follow(admin.client, back)).toBeAnswered(200);
      },
    );

    it('H4: the path of a form cannot lead a sign-in to another host', async () => {
      const admin = await AdminBrowser.of(story, scene.boss);
      const refused = await admin.sendAfterSignOut(`${ADMINISTRATION}/users/..%2F..%2F%2Fevil.example/unlock`, {});

      expect(linkOf(refused)).toBe(
        `/portal/login?return_to=${encodeURIComponent(`${CONTEXT}${ADMINISTRATION}/users/..%2F..%2F%2Fevil.example/unlock`)}`,
      );
    });

    /** The page about the administrator as a value of `return_to`. */
    async function pageOf(part: string): Promise<string> {
      return encodeURIComponent(`${CONTEXT}${await scene.admin.userPath(scene.boss)}/${part}`);
    }

    /** Path of the only button of an error page, without the context path. */
    function linkOf({ text }: Answer): string {
      return unescaped(/class="button primary" href="\/auth([^"]*)"/.exec(text)?.[1] ?? '');
    }
  });

  describe('the help desk', () => {
    it('A11: the help desk sees only unlock and reset, and states a reason and a ticket', async () => {
      const { helpDesk } = scene;
      const user = await story.enrolled();
      await story.lock(user);
      const page = await helpDesk.user(user);
      const links = [...page.text.matchAll(/href="[^"]*\/users\/[^"/]*\/([\w-]*)"/g)].map(([, part]) => part);
      expect(links).toEqual(['access', 'activity', 'unlock', 'reset']);
      for (const part of ['access', 'activity']) {
        expect((await helpDesk.user(user, part)).text, part).not.toMatch(/action="[^"]*\/users\/|admin\/events/);
      }
      expect((await helpDesk.visit(USERS)).text).not.toMatch(/new-user|admin\/import|admin\/events/);

      const wrong = await helpDesk.act(user, 'unlock', { reason: STATED.reason });
      expect(wrong).toBeAnswered(400);
      expect(wrong.text).toContain('Give the number of the ticket');
      expect(wrong.text).toContain(`value="${STATED.reason}"`);
      expect((await helpDesk.done(user, 'unlock', STATED)).text).toContain('The account is unlocked.');
      expect((await helpDesk.done(user, 'reset', STATED)).text).toContain('The second factor is reset.');
    });

    it('A11: the help desk is refused for administrators and for every other page and act', async () => {
      const { boss, helpDesk } = scene;
      const user = story.person();
      const page = await helpDesk.user(boss);
      expect(page.text).toContain('Only an administrator may act on it.');
      expect(page.text).not.toMatch(/(?:action|href)="[^"]*\/users\/[^"/]*\//);
      for (const part of ['access', 'activity', ...ACTS]) {
        expect(await helpDesk.user(boss, part), part).toBeAnswered(403);
      }
      for (const act of ['unlock', 'reset']) {
        expect(await helpDesk.act(boss, act, STATED), act).toBeAnswered(403);
        expect(await helpDesk.act(boss, act), act).toBeAnswered(403);
      }
      for (const act of ACTS.filter((each) => each !== 'unlock' && each !== 'reset')) {
        expect(await helpDesk.act(user, act, STATED), act).toBeAnswered(403);
        expect(await helpDesk.user(user, act), act).toBeAnswered(403);
      }
      for (const act of ENDS) expect(await helpDesk.act(user, act), act).toBeAnswered(403);
      for (const path of [NEW_USER, EVENTS, APPLICATIONS, `${ADMINISTRATION}/import`]) {
        expect(await helpDesk.visit(path), path).toBeAnswered(403);
      }
      expect(await helpDesk.send(NEW_USER, { id: 'x', access: 'temporary' })).toBeAnswered(403);
      await story.login(user);
    });
  });
});
