import { beforeAll, expect, it } from 'vitest';
import { Administrator, OTHERS } from '../../support/login/administrator.js';
import { PUBLIC_URL, StoryLinks, tokenIn } from '../../support/login/account-links.js';
import type { Answer } from '../../support/http/http-client.js';
import { type Person, secondStep, storyOn } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { submit, visit } from '../../support/pages/pages.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MAILBOXES = await openMailboxes();
const CHOSEN = 'nine wet lanterns & 3 harbours';
const LINK = '/portal/reset?token=';

onAnyEngine('a mail address that changes', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const args = [...mailbox.args, `--app.security.public-url=${PUBLIC_URL}`];
  const story = storyOn(engine, { others: OTHERS, people: 12, args });
  const links = new StoryLinks(story);
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  async function setAddress(person: Pick<Person, 'id'>, email: string): Promise<void> {
    expect(await admin.send('PATCH', `/users/${await story.subjectOf(person)}`, { email })).toBeAnswered(200);
  }

  /** A user with an address, and a later address of another person. */
  async function holder(): Promise<{ person: Person; first: string; second: string }> {
    const person = story.person();
    const [first, second] = [`${person.id}@first.example`, `${person.id}@second.example`];
    await setAddress(person, first);
    return { person, first, second };
  }

  async function allMailsSent(): Promise<void> {
    await waitUntil('no mail waits', async () => {
      return (await story.database.query('SELECT id FROM mail_message')).length === 0;
    });
  }

  /** Asks for a link to a new password, and waits until a request of another user was processed. */
  async function forgot(person: Pick<Person, 'id'>): Promise<void> {
    const last = story.person();
    await setAddress(last, `${last.id}@last.example`);
    for (const { id } of [person, last])
      expect(await story.client().post('/password/forgot', { id })).toBeAnswered(202);
    await mailbox.mailTo(`${last.id}@last.example`, '/portal/reset?token=');
    await allMailsSent();
  }

  async function notMeToken(address: string): Promise<string> {
    const { text } = await mailbox.mailTo(address, '/portal/not-me?token=');
    return tokenIn(text.slice(text.indexOf('/portal/not-me?token=')));
  }

  function report(token: string): Promise<Answer> {
    return story.client().post('/account/not-me', { token });
  }

  function resetLinksTo(address: string): number {
    return mailbox.allTo(address).filter(({ text }) => text.includes(LINK)).length;
  }

  it('X5: a report after a change of the address sends no link to the new address, not even by "forgot password"', async () => {
    const { person, first, second } = await holder();
    await setAddress(person, second);

    expect(await report(await notMeToken(first))).toBeAnswered(204);
    await allMailsSent();
    await forgot(person);

    expect(resetLinksTo(second)).toBe(0);
    const reports = (await story.events(person)).filter(({ kind }) => kind === 'NOT_ME_REPORTED');
    expect(reports.map(({ reason }) => reason)).toEqual(['address_removed']);
  });

  it('X5: a report by an earlier notice sends no link to an address that is newer than the notice', async () => {
    const { person, second } = await holder();
    const token = await links.token(person, 'not-me');
    await setAddress(person, second);

    const client = story.client();
    const done = await submit(client, await visit(client, `/portal/not-me?token=${token}`), {});
    await allMailsSent();

    expect(done).toBeAnswered(200);
    expect(done.text).toContain('We have removed the mail address of the account');
    expect(resetLinksTo(second)).toBe(0);
  });

  it('X5: a report about an account that kept its address mails a link to it', async () => {
    const { person, first } = await holder();

    expect(await report(await links.token(person, 'not-me'))).toBeAnswered(204);

    const { text } = await mailbox.mailTo(first, '/portal/reset?token=');
    expect(await story.client().post('/password/reset', { token: tokenIn(text), new: CHOSEN })).toBeAnswered(204);
  });

  it('X5: a link to reset the password stays void after the address was changed and changed back', async () => {
    const { person, first, second } = await holder();
    const [reset, kept] = [await links.token(person, 'password-reset'), await links.token(person, 'not-me')];
    await setAddress(person, second);
    await setAddress(person, first);

    const answer = await story.client().post('/password/reset', { token: reset, new: CHOSEN });

    expect(answer).toBeRefused(401, 'LINK_INVALID');
    expect(await report(kept)).toBeAnswered(204);
    await allMailsSent();
    expect(resetLinksTo(first)).toBe(0);
  });

  it('X5: a change that states the same address again keeps the mailed links', async () => {
    const { person, first } = await holder();
    const reset = await links.token(person, 'password-reset');

    const change = { email: first, mfa_required: true };
    expect(await admin.send('PATCH', `/users/${await story.subjectOf(person)}`, change)).toBeAnswered(200);

    expect(await story.client().post('/password/reset', { token: reset, new: CHOSEN })).toBeAnswered(204);
  });

  it('X5: a report keeps an address that was stated again since the notice', async () => {
    const { person, first } = await holder();
    const token = await links.token(person, 'not-me');
    await setAddress(person, first);

    expect(await report(token)).toBeAnswered(204);

    await mailbox.mailTo(first, LINK);
    const [account] = await story.database.query<{ email: string }>('SELECT email FROM account WHERE id = ?', [
      await story.subjectOf(person),
    ]);
    expect(account?.email).toBe(first);
  });

  it('X5: an address has a new version if one was removed or differs in a letter only, and not if there was none', async () => {
    const { person, first } = await holder();
    const id = await story.subjectOf(person);
    const versionAfter = async (email: string | null): Promise<number> => {
      expect(await admin.send('PATCH', `/users/${id}`, { email })).toBeAnswered(200);
      const [row] = await story.database.query<{ email_version: number }>(
        'SELECT email_version FROM account WHERE id = ?',
        [id],
      );
      return Number(row?.email_version);
    };

    const versions: number[] = [];
    for (const email of [first, null, null, first, first, first.toUpperCase()])
      versions.push(await versionAfter(email));

    expect(versions).toEqual([1, 2, 2, 3, 3, 4]);
  });

  it('X5: a login in progress continues after the same roles were stated again, and ends with other roles', async () => {
    const person = await story.enrolled();
    const id = await story.subjectOf(person);
    const begun = await story.mfaToken(person);

    expect(await admin.send('PATCH', `/users/${id}`, { roles: [], mfa_required: true })).toBeAnswered(200);
    expect(await secondStep(story.client(), begun, story.nextCode(person))).toBeAnswered(200);
    const other = await story.mfaToken(person);
    expect(await admin.send('PATCH', `/users/${id}`, { roles: ['ROLE_CLERK'] })).toBeAnswered(200);

    const late = await secondStep(story.client(), other, story.nextCode(person));
    expect(late.status).toBe(401);
  });
});
