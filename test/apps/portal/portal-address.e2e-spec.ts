import { expect, it } from 'vitest';
import { tokenIn } from '../../support/login/account-links.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import type { Person } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { follow, submit, visit } from '../../support/pages/pages.js';
import { PASSWORD_CLASS, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();
const MAIL = 'urn:test:mail';
const SECURITY = '/portal/security';
const FORM = '/portal/security/email';
const LINK = '/portal/email?token=';
const VERIFY = 'Send a link to verify it';
const FRESH_SECONDS = 300;

onSqlite('the pages for the own mail address', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const staff = staffStoryOn(engine, { corp: { 'email.attribute': MAIL } }, { people: 10, args: mailbox.args });
  const { story } = staff;

  async function signedIn(
    person: Person = story.person(),
  ): Promise<{ person: Person; client: HttpClient; email: string }> {
    const client = story.client();
    await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
    const email = `${person.id}@harbour.example`;
    await story.database.query('UPDATE account SET email = ? WHERE login_id = ?', [email, person.id]);
    return { person, client, email };
  }

  async function tokenTo(address: string): Promise<string> {
    return tokenIn((await mailbox.mailTo(address, LINK)).text);
  }

  const overview = (client: HttpClient): Promise<Answer> => visit(client, SECURITY);

  it('a user requests another address with the password, and confirms it by the mailed link', async () => {
    const { person, client, email } = await signedIn();
    expect((await overview(client)).text).toContain(`href="${FORM}"`);

    const sent = await submit(client, await visit(client, FORM), { email: `new-${email}`, pw: person.password });
    const page = await follow(client, sent);
    expect(page.text).toContain('We have sent a link to the address.');
    expect(page.text).toContain(`<strong>${email}</strong>`);

    const browser = story.client();
    const link = await visit(browser, `/portal/email?token=${await tokenTo(`new-${email}`)}`);
    expect(link.text).toContain(`new-${email}`);
    expect((await submit(browser, link, {})).text).toContain('The mail address is confirmed.');
    expect((await overview(client)).text).toContain(
      `<strong>new-${email}</strong> <span class="badge good">Verified</span>`,
    );
    expect((await overview(client)).text).not.toContain(VERIFY);
  });

  it('a user verifies the present address by a button', async () => {
    const { client, email } = await signedIn();
    story.clock.advance(FRESH_SECONDS + 1);
    const page = await overview(client);
    expect(page.text).toContain('<span class="badge">Not verified</span>');

    expect(await submit(client, page, {}, {}, VERIFY)).toBeAnswered(303);
    const browser = story.client();
    const link = await visit(browser, `/portal/email?token=${await tokenTo(email)}`);
    expect(await submit(browser, link, {})).toBeAnswered(200);

    expect((await overview(client)).text).toContain('<span class="badge good">Verified</span>');
    expect((await submit(client, page, {}, {}, VERIFY)).status).toBe(429);
  });

  it('a wrong password, a text that is no address and a second request show the form again with the address', async () => {
    const { person, client, email } = await signedIn();
    const page = await visit(client, FORM);
    const send = (fields: Readonly<Record<string, string>>): Promise<Answer> => submit(client, page, fields);

    const wrong = await send({ email: `new-${email}`, pw: 'wrong' });
    expect(wrong).toBeAnswered(401);
    expect(wrong.text).toContain('The current password is wrong.');
    expect(wrong.text).toContain(`value="new-${email}"`);
    const bad = await send({ email: '<b>nowhere', pw: person.password });
    expect(bad).toBeAnswered(400);
    expect(bad.text).toContain('This is not a mail address that can be used.');
    expect(bad.text).toContain('value="&lt;b&gt;nowhere"');
    expect(await send({ email: `new-${email}`, pw: person.password })).toBeAnswered(303);
    const soon = await send({ email: `new-${email}`, pw: person.password });
    expect(soon).toBeAnswered(429);
    expect(soon.text).toContain('Wait five minutes');
  });

  it('S9: a user with a second factor proves it in the form if the last proof is not recent', async () => {
    const person = await story.enrolled();
    const { client, email } = await signedIn(person);
    await submit(client, await visit(client, '/2fa/portal/verify'), { code: story.nextCode(person) });
    const fresh = await visit(client, FORM);
    expect(fresh.text).not.toContain('name="code"');
    expect(fresh.text).not.toContain('type="password"');

    story.clock.advance(FRESH_SECONDS + 1);
    const stale = await visit(client, FORM);
    const without = await submit(client, stale, { email: `new-${email}`, code: '' });
    expect(without).toBeAnswered(401);
    expect(mailbox.allTo(`new-${email}`)).toEqual([]);
    const code = story.nextCode(person);
    expect(await submit(client, stale, { email: `new-${email}`, code })).toBeAnswered(303);
    await tokenTo(`new-${email}`);
  });

  it('staff see that their organisation manages the address, and verify it', async () => {
    const { client } = await staff.signIn({
      ...{ nameId: 'ada', attributes: { [MAIL]: 'ada@example.org' } },
      authnContextClassRef: PASSWORD_CLASS,
    });

    expect((await visit(client, FORM)).text).toContain('Your organisation manages this address.');
    const page = await overview(client);
    expect(page.text).toContain('Your organisation manages this address.');
    expect(page.text).not.toContain(`href="${FORM}"`);
    expect(await submit(client, page, {}, {}, VERIFY)).toBeAnswered(303);
    await tokenTo('ada@example.org');
  });
});

onSqlite('the pages for the own mail address without a mail relay', (engine) => {
  const staff = staffStoryOn(engine, {}, { people: 1 });

  it('do not exist', async () => {
    const person = staff.story.person();
    const client = staff.story.client();
    await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });

    expect((await visit(client, FORM)).status).toBe(404);
    const page = await visit(client, SECURITY);
    expect(page.text).not.toContain(FORM);
    expect(page.text).not.toContain(VERIFY);
  });
});
