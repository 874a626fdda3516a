import { expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import { onSqlite } from '../../support/database/story-database.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { tokenIn } from '../../support/login/account-links.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { follow, formOf, submit, unescaped, visit } from '../../support/pages/pages.js';

const MAILBOXES = await openMailboxes();
const LOGIN = '/portal/login';
const FORGOT = '/portal/forgot';
const REQUESTED = 'Someone asked for a new password';
const TARGET = '/authorize?client_id=shop&state=a%26b&scope=openid%20profile';
const CHOSEN = 'nine wet lanterns & 3 harbours';

onSqlite('mailed links and the sign-in after them', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const story = storyOn(engine, { people: 12, args: mailbox.args });

  async function withAddress(): Promise<Person & { readonly email: string }> {
    const person = story.person();
    const email = `${person.id}@harbour.example`;
    await story.database.query('UPDATE account SET email = ?, email_key = ? WHERE login_id = ?', [
      email,
      email.toLowerCase(),
      person.id,
    ]);
    return { ...person, email };
  }

  function linkTo({ text }: Answer, path: string): string {
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => unescaped(href));
    return links.find((href) => href.startsWith(path)) ?? '';
  }

  /** The path of the mailed link for a new password, which `client` has requested from the sign-in page. */
  async function mailedPath(client: HttpClient, { email }: { readonly email: string }, id = email): Promise<string> {
    const signIn = await visit(client, `${LOGIN}?return_to=${encodeURIComponent(TARGET)}`);
    const sent = await submit(client, await visit(client, linkTo(signIn, FORGOT)), { id });
    expect(sent).toBeAnswered(200);
    const { text } = await mailbox.mailTo(email, REQUESTED);
    const [url = ''] = /https?:\/\/\S*token=\S*/.exec(text) ?? [];
    expect(url).toContain(tokenIn(text));
    return url.slice(new URL(url).origin.length);
  }

  it('U2: a forgotten password and its mail keep return_to to the end', async () => {
    const person = await withAddress();
    const client = story.client();
    const path = await mailedPath(client, person);

    const done = await submit(client, await visit(client, path), { new: CHOSEN });

    const signIn = await visit(client, linkTo(done, LOGIN));
    expect(formOf(client, signIn).fields['return_to']).toBe(TARGET);
    const signedIn = await submit(client, signIn, { id: person.email, pw: CHOSEN });
    expect(signedIn.headers.get('location')).toBe(TARGET);
  });

  it('U2: a mailed link with another target is verified again when it is used', async () => {
    const person = await withAddress();
    const client = story.client();
    const path = await mailedPath(client, person);
    const [link = ''] = path.split('&return_to=');

    for (const target of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const page = await visit(client, `${link}&return_to=${encodeURIComponent(target)}`);
      expect(formOf(client, page).fields['return_to']).toBe('/');
      expect(page.text).not.toContain('href="https://evil');
    }
  });

  it('U1: the answers to these forms have addresses that show them again without a form', async () => {
    const person = await withAddress();
    const client = story.client();
    const addressOf = ({ text }: Answer): string =>
      unescaped(/<meta name="page-address" content="([^"]*)">/.exec(text)?.[1] ?? '');
    const sent = await submit(client, await visit(client, FORGOT), { id: person.email });
    expect((await visit(client, addressOf(sent))).text).toContain(`<h1>${messagesOf('en').forgot.titleSent}</h1>`);
    const link = `/portal/reset?token=${tokenIn((await mailbox.mailTo(person.email, REQUESTED)).text)}`;
    const weak = await submit(client, await visit(client, link), { new: 'short' });
    const again = await visit(client, addressOf(weak));
    expect([weak.status, again.status]).toEqual([400, 200]);
    expect(again.text).toContain('The new password is too short.');
    const done = await submit(client, again, { new: CHOSEN });

    const confirmed = await visit(client, addressOf(done));

    expect(addressOf(done)).not.toContain(link.slice(link.indexOf('=')));
    expect(confirmed.text).toContain(messagesOf('en').links.reset.done);
    expect(confirmed).toBeAnswered(200);
  });

  it('U3: a new password by a mailed link ends the session of another user in the browser', async () => {
    const [person, other] = [await withAddress(), story.person()];
    const client = story.client();
    const path = await mailedPath(story.client(), person);
    await submit(client, await visit(client, LOGIN), { id: other.id, pw: other.password });
    const stolen = story.client();
    stolen.plant('SESSION', client.cookie('SESSION') ?? '');

    const done = await submit(client, await visit(client, path), { new: CHOSEN });

    expect(client.cookie('SESSION')).toBeUndefined();
    expect(await stolen.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    const signIn = await visit(client, linkTo(done, LOGIN));
    expect(signIn).toBeAnswered(200);
    await submit(client, signIn, { id: person.id, pw: CHOSEN });
    expect((await client.get('/session')).body['id']).toBe(person.id);
  });

  it('U3: opening a mailed link ends no session', async () => {
    const [person, other] = [await withAddress(), story.person()];
    const client = story.client();
    const path = await mailedPath(story.client(), person);
    await submit(client, await visit(client, LOGIN), { id: other.id, pw: other.password });

    await visit(client, path);
    await submit(client, await visit(client, path), { new: 'short' });

    expect(await client.get('/me')).toBeAnswered(200);
    expect(await follow(client, await visit(client, LOGIN))).toBeAnswered(200);
  });
});
