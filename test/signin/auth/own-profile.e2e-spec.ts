import { beforeAll, describe, expect, it } from 'vitest';
import { Administrator, OTHERS } from '../../support/login/administrator.js';
import type { Person } from '../../support/login/login-story.js';
import { storyOn } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { visit } from '../../support/pages/pages.js';
import { onEachEngine } from '../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();
const PROFILE = { name: 'Ada <Lovelace>', email_verified: true, groups: ['Domain Users', 'ops'] };

onEachEngine('the profile of the signed-in user', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const story = storyOn(engine, { others: OTHERS, people: 12, args: [...mailbox.args] });
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  async function change(person: Pick<Person, 'id'>, members: object): Promise<void> {
    expect(await admin.send('PATCH', `/users/${await story.subjectOf(person)}`, members)).toBeAnswered(200);
  }

  async function profiled(): Promise<Person & { readonly email: string }> {
    const person = story.person();
    const email = `${person.id}@harbour.example`;
    await change(person, { ...PROFILE, email });
    return { ...person, email };
  }

  describe('GET /me', () => {
    it('GET /me and GET /session show name, address, its verification and groups', async () => {
      const { email, ...person } = await profiled();
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      const browser = story.client();
      await browser.post('/session', { id: person.id, pw: person.password });

      expect((await client.get('/me', { bearer })).body).toMatchObject({ id: person.id, ...PROFILE, email });
      expect((await browser.get('/session')).body).toMatchObject({ id: person.id, ...PROFILE, email });
    });

    it('GET /me omits what the account does not have, and shows a change at once', async () => {
      const person = story.person();
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      const members = async (): Promise<object> => {
        const { body } = await client.get('/me', { bearer });
        return Object.fromEntries(Object.entries(body).filter(([name]) => /name|email|groups/.test(name)));
      };

      expect(await members()).toEqual({});
      await change(person, { email: 'late@harbour.example' });
      expect(await members()).toEqual({ email: 'late@harbour.example', email_verified: false });
      await change(person, { email_verified: true, name: 'Late' });
      expect(await members()).toEqual({ email: 'late@harbour.example', email_verified: true, name: 'Late' });
    });
  });

  describe('pages', () => {
    it('call the user by the display name, as inert text, and show the login id beside it', async () => {
      const person = await profiled();
      const browser = story.client();
      await browser.post('/session', { id: person.id, pw: person.password });

      const home = await visit(browser, '/');
      const security = await visit(browser, '/portal/security');

      for (const page of [home, security]) {
        expect(page.text).toContain('<span class="user">Ada &lt;Lovelace&gt;</span>');
      }
      expect(home.text).toContain('<h1>Hello, Ada &lt;Lovelace&gt;</h1>');
      expect(home.text).toContain(`<strong>${person.id}</strong>`);
      expect(security.text).toContain('<dd>Ada &lt;Lovelace&gt;</dd>');
      expect(security.text).toContain(`<dd>${person.id}</dd>`);
      expect(security.text).toContain('<dd>Domain Users, ops</dd>');
    });
  });

  describe('mails', () => {
    it('greet a user with a display name in the language of the user', async () => {
      const person = await profiled();
      await story.client().post('/password/forgot', { id: person.id });
      const english = await mailbox.mailTo(person.email, '/portal/reset?token=');
      await story.database.query("UPDATE account SET language = 'ko' WHERE login_id = ?", [person.id]);
      await change(person, { email: `new-${person.email}` });
      const korean = await mailbox.mailTo(person.email, '/portal/not-me?token=');

      expect(english.text).toMatch(/^Hello Ada <Lovelace>,$/m);
      expect(english.text).toContain('Hello Ada &lt;Lovelace&gt;,');
      expect(korean.text).toMatch(/^Ada <Lovelace> 님, 안녕하십니까\?$/m);
    });

    it('do not name the user to a new address, which may belong to another person', async () => {
      const person = await profiled();
      await change(person, { email: `other-${person.email}` });

      const { text } = await mailbox.mailTo(`other-${person.email}`);
      expect(text).not.toMatch(new RegExp(`Lovelace|${person.id}[^@]`));
    });

    it('greet nobody without a display name', async () => {
      const person = story.person();
      await change(person, { email: `${person.id}@harbour.example` });
      await story.client().post('/password/forgot', { id: person.id });

      const { text } = await mailbox.mailTo(`${person.id}@harbour.example`, '/portal/reset?token=');
      expect(text).not.toContain('Hello');
    });
  });
});
