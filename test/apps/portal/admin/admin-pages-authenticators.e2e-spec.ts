import { expect, it } from 'vitest';
import { PUBLIC_URL } from '../../../support/login/account-links.js';
import { adminSceneOn, HOSTILE, STATED } from '../../../support/pages/admin-pages.js';
import type { AuthenticatorApp } from '../../../support/login/authenticator-app.js';
import type { Answer } from '../../../support/http/http-client.js';
import { type Person, refresh, type SignedIn } from '../../../support/login/login-story.js';
import { openMailboxes } from '../../../support/mail/mailbox.js';
import { unescaped } from '../../../support/pages/pages.js';
import { type PasskeyHolder, PasskeyStory } from '../../../support/passkey/passkey-story.js';
import { onAnyEngine } from '../../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();
const ACT = 'remove-authenticator';
const SITE = { origin: PUBLIC_URL, rpId: new URL(PUBLIC_URL).hostname };

/** A user with a passkey and an authenticator app. */
interface Owner extends PasskeyHolder {
  readonly app: AuthenticatorApp;
  readonly signedIn: SignedIn;
}

onAnyEngine('authenticators on the pages of the administration', (engine) => {
  const scene = adminSceneOn(engine, MAILBOXES[engine.name]);
  const { story } = scene;
  const passkeys = new PasskeyStory(story);

  async function owner(name = 'Phone', isSynced = false): Promise<Owner> {
    const holder = await passkeys.holder({ ...SITE, isSynced });
    const signedIn = await passkeys.signIn(holder);
    return { ...holder, app: await story.addApp(signedIn, name), signedIn };
  }

  /** The ids in the links to the pages that remove an authenticator, by the names of their labels. */
  function linksIn({ text }: Answer): Readonly<Record<string, string>> {
    const links = text.matchAll(
      /href="[^"]*\/remove-authenticator\?authenticator=([^"]+)" aria-label="Remove ([^"]*)"/g,
    );
    return Object.fromEntries(Array.from(links, ([, id = '', name = '']) => [unescaped(name), id]));
  }

  function pageOf(browser: typeof scene.admin, user: Pick<Person, 'id'>, id: string): Promise<Answer> {
    return browser.user(user, `${ACT}?authenticator=${encodeURIComponent(id)}`);
  }

  it('the page about a user lists the authenticators with names, types and times', async () => {
    const [synced, bound] = [await owner('Anna’s phone', true), await passkeys.holder(SITE)];

    const { text } = await scene.admin.user(synced);
    const other = await scene.admin.user(bound);

    for (const shown of [
      'Anna’s phone',
      'Passkey',
      'Authenticator app',
      'Can be synced between devices',
      'Last used: <time',
    ]) {
      expect(text).toContain(shown);
    }
    expect(other.text).toContain('On one device only');
    expect(other.text).toContain('Not used yet');
    expect(linksIn(other), 'the last one has no link').toEqual({});
  });

  it('an administrator removes a passkey for a reason, on a page that names it', async () => {
    const { admin } = scene;
    const user = await owner();
    const { Passkey: id = '', Phone: app = '' } = linksIn(await admin.user(user));
    expect(id).toBe(user.passkeyId);

    const page = await pageOf(admin, user, id);
    expect(page).toBeAnswered(200);
    expect(page.text).toMatch(new RegExp(`<h1>[^<]*${user.id}`));
    expect(page.text).toContain('<strong>Passkey</strong>');
    expect(page.text).toContain(`name="authenticator" value="${id}"`);
    expect(page.text).toMatch(/<input id="reason"[^>]* required>/);

    const without = await admin.act(user, ACT, { authenticator: id, ticket: 'HD-2' });
    expect(without).toBeAnswered(400);
    expect(without.text).toContain('Give a reason of at most 200 characters.');
    expect(without.text).toContain(`name="authenticator" value="${id}"`);

    const done = await admin.done(user, ACT, { authenticator: id, ...STATED });
    expect(done.text).toContain('The authenticator is removed, and all sessions are ended.');
    expect(done.text).toContain('Phone');
    expect(linksIn(done)).toEqual({});
    expect(await refresh(user.signedIn.client)).toBeRefused(401, 'REFRESH_INVALID');
    await story.signIn(user);
    const event = (await story.events(user)).findLast(({ kind }) => kind === 'PASSKEY_REMOVED');
    expect(event).toMatchObject({ actor: await story.subjectOf(scene.boss) });
    expect(JSON.parse(event?.detail ?? '{}')).toEqual({
      ...{ authenticator: id, stated_reason: STATED.reason, ticket: STATED.ticket },
    });

    expect(await admin.act(user, ACT, { authenticator: id, ...STATED })).toBeAnswered(404);
    const last = await admin.act(user, ACT, { authenticator: app, ...STATED });
    expect(last).toBeAnswered(409);
    expect(last.text).toContain(
      'Removing this authenticator would leave the user without a usable one. Reset the second factor instead.',
    );
  });

  it('A11: the help desk removes an authenticator with a reason and a ticket, but of no administrator', async () => {
    const { helpDesk, boss } = scene;
    const user = await owner();
    const { Phone: id = '' } = linksIn(await helpDesk.user(user));

    const wrong = await helpDesk.act(user, ACT, { authenticator: id, reason: STATED.reason });
    expect(wrong).toBeAnswered(400);
    expect(wrong.text).toContain('Give the number of the ticket');
    const done = await helpDesk.done(user, ACT, { authenticator: id, ...STATED });
    expect(done.text).toContain('The authenticator is removed');
    expect(await story.countOf(user, 'TOTP_REMOVED')).toBe(1);

    const own = linksIn(await scene.admin.user(boss));
    const protectedPage = await helpDesk.user(boss);
    expect(own, 'another administrator acts on the own account').toEqual({});
    expect(protectedPage.text).not.toContain('Authenticator app');
    expect(await pageOf(helpDesk, boss, 'x')).toBeAnswered(403);
    expect(await helpDesk.act(boss, ACT, { authenticator: 'x', ...STATED })).toBeAnswered(403);
    const [owned] = await story.database.query<{ id: string }>('SELECT id FROM totp_secret WHERE user_id = ?', [
      await story.subjectOf(boss),
    ]);
    expect(await scene.admin.act(boss, ACT, { authenticator: owned?.id ?? '', ...STATED })).toBeAnswered(409);
  });

  it('the page of an authenticator that the user does not have does not exist', async () => {
    const [user, other] = [await owner(), await owner()];

    for (const id of [other.passkeyId, 'none', '']) expect(await pageOf(scene.admin, user, id), id).toBeAnswered(404);
    expect(await scene.admin.user(user, ACT)).toBeAnswered(404);
  });

  it('H4: a hostile name of an authenticator and hostile ids are shown as text, and never a failure', async () => {
    const { admin } = scene;
    const user = await owner(HOSTILE.slice(0, 64));
    const page = await admin.user(user);
    const [hostile = ''] = Object.keys(linksIn(page)).filter((name) => name !== 'Passkey');

    expect(hostile).toBe(HOSTILE.slice(0, 64));
    expect(page.text).not.toMatch(/<script>alert|<img src=x/);
    for (const id of [HOSTILE, 'x'.repeat(1025), '\u0000', "' OR 1=1 --"]) {
      const answer = await admin.act(user, ACT, { authenticator: id, ...STATED });
      expect([400, 404], answer.text).toContain(answer.status);
      expect(answer.text).not.toMatch(/<script>alert|<img src=x/);
      expect([400, 404]).toContain((await pageOf(admin, user, id)).status);
    }
    expect(linksIn(await admin.user(user))).toEqual(linksIn(page));
  });
});
