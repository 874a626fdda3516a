import { beforeAll, describe, expect, it } from 'vitest';
import { Administrator, OTHERS } from '../../support/login/administrator.js';
import { PUBLIC_URL, tokenIn } from '../../support/login/account-links.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { submit, visit } from '../../support/pages/pages.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MAILBOXES = await openMailboxes();
const LINK = '/portal/email?token=';
const INTERVAL_SECONDS = 300;

interface Owner {
  readonly person: Person;
  readonly client: HttpClient;
  readonly bearer: string;
  /** The present address, which is not verified. */
  readonly email: string;
  /** The address that the user wants. */
  readonly wanted: string;
}

onEachEngine('S9: the own mail address', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const args = [...mailbox.args, `--app.security.public-url=${PUBLIC_URL}`];
  const story = storyOn(engine, { others: OTHERS, people: 60, args });
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  /** A change by an administrator, who proves the second factor for it. */
  async function change(person: Pick<Person, 'id'>, members: object): Promise<void> {
    const { accessToken } = await story.signIn(admin.person);
    await changeAs(accessToken, person, members);
  }

  async function changeAs(bearer: string, person: Pick<Person, 'id'>, members: object): Promise<void> {
    expect(await admin.send('PATCH', `/users/${await story.subjectOf(person)}`, members, bearer)).toBeAnswered(200);
  }

  async function store(person: Pick<Person, 'id'>, column: 'email' | 'display_name', value: string): Promise<void> {
    await story.database.query(`UPDATE account SET ${column} = ? WHERE login_id = ?`, [value, person.id]);
  }

  /** A signed-in user without a second factor. */
  async function owner(): Promise<Owner> {
    const person = story.person();
    const email = `${person.id}@harbour.example`;
    await store(person, 'email', email);
    const { client, accessToken: bearer } = await story.signInByPassword(person);
    return { person, client, bearer, email, wanted: `new-${email}` };
  }

  function ask({ client, bearer }: Owner, email: string, more: object = {}): Promise<Answer> {
    return client.post('/me/email', { email, ...more }, { bearer });
  }

  async function tokenFor(of: Owner, email = of.wanted): Promise<string> {
    expect(await ask(of, email)).toBeAnswered(202);
    return tokenIn((await mailbox.mailTo(email, LINK)).text);
  }

  const confirm = (token: string): Promise<Answer> => story.client().post('/account/email', { token });

  async function stateOf({ client, bearer }: Owner): Promise<object> {
    const { email, email_verified } = (await client.get('/me', { bearer })).body;
    return { email, email_verified };
  }

  async function eventsOf(person: Person): Promise<readonly unknown[]> {
    const events = await story.events(person);
    return events.filter(({ kind }) => kind.startsWith('EMAIL')).map(({ kind, reason }) => [kind, reason]);
  }

  describe('POST /me/email', () => {
    it('mails a link to the new address, and its confirmation sets the address as verified', async () => {
      const of = await owner();

      const token = await tokenFor(of);
      expect(await stateOf(of)).toEqual({ email: of.email, email_verified: false });
      expect(await confirm(token)).toBeAnswered(204);

      expect(await stateOf(of)).toEqual({ email: of.wanted, email_verified: true });
      expect(await eventsOf(of.person)).toEqual([
        ['EMAIL_REQUESTED', null],
        ['EMAIL_CONFIRMED', 'changed'],
      ]);
    });

    it('tells the present address of the request and the former one of the change, with a link to report them', async () => {
      const of = await owner();

      const token = await tokenFor(of);
      const requested = await mailbox.mailTo(of.email, 'Another mail address was requested');
      await confirm(token);
      const changed = await mailbox.mailTo(of.email, 'Your mail address was changed');

      for (const { text } of [requested, changed]) {
        expect(text).toContain('/portal/not-me?token=');
        expect(text).not.toContain(of.wanted);
        expect(text).not.toContain('an administrator');
      }
    });

    it('the mail to the new address names neither the user nor the former address', async () => {
      const of = await owner();
      await store(of.person, 'display_name', 'Ada Lovelace');
      await tokenFor(of);

      const { text } = await mailbox.mailTo(of.wanted, LINK);
      expect(text).not.toContain('Lovelace');
      expect(text.replaceAll(of.wanted, '')).not.toContain(of.person.id);
    });

    it('verifies the present address without a change, an event of a request or a notice', async () => {
      const of = await owner();

      expect(await confirm(await tokenFor(of, of.email))).toBeAnswered(204);

      expect(await stateOf(of)).toEqual({ email: of.email, email_verified: true });
      expect(await eventsOf(of.person)).toEqual([['EMAIL_CONFIRMED', 'verified']]);
      expect(mailbox.allTo(of.email, 'not-me')).toEqual([]);
    });

    it('gives an account without an address its first one', async () => {
      const of = await owner();
      await story.database.query('UPDATE account SET email = NULL WHERE login_id = ?', [of.person.id]);

      expect(await confirm(await tokenFor(of))).toBeAnswered(204);
      expect(await stateOf(of)).toEqual({ email: of.wanted, email_verified: true });
    });

    it('needs a fresh login or the password for another address, but not to verify the present one', async () => {
      const [of, other] = [await owner(), await owner()];
      story.clock.advance(INTERVAL_SECONDS + 1);

      expect(await ask(of, of.wanted)).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(await ask(of, of.wanted, { pw: 'wrong' })).toBeRefused(401, 'INVALID_CREDENTIALS');
      expect(await ask(of, of.email)).toBeAnswered(202);
      expect(await ask(other, other.wanted, { pw: other.person.password })).toBeAnswered(202);
    });

    it('needs a fresh second factor where the account has one, whatever the password', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      const of = { person, client, bearer, email: '', wanted: `${person.id}@wanted.example` };

      expect(await ask(of, of.wanted)).toBeAnswered(202);
      story.clock.advance(INTERVAL_SECONDS + 1);
      const refused = await ask(of, of.wanted, { pw: person.password });

      expect(refused).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(refused.body).toMatchObject({ required: 'mfa' });
    });

    it.each(['', 'nowhere', 'a@b, c@d', 'a b@c', `${'x'.repeat(250)}@c.example`])('H1: rejects %j', async (email) => {
      expect(await ask(await owner(), email)).toBeRefused(400, 'VALIDATION_FAILED');
    });

    it('mails at most one link in five minutes, and a later one ends the one before', async () => {
      const of = await owner();
      const first = await tokenFor(of);

      const soon = await ask(of, `other-${of.wanted}`);
      expect(soon).toBeRefused(429, 'RATE_LIMITED');
      expect(soon.headers.get('retry-after')).toBe(String(INTERVAL_SECONDS));
      story.clock.advance(INTERVAL_SECONDS);
      expect(await ask(of, `other-${of.wanted}`, { pw: of.person.password })).toBeAnswered(202);
      const second = tokenIn((await mailbox.mailTo(`other-${of.wanted}`, LINK)).text);

      expect(await confirm(first)).toBeRefused(401, 'LINK_INVALID');
      expect(await confirm(second)).toBeAnswered(204);
      expect(await stateOf(of)).toEqual({ email: `other-${of.wanted}`, email_verified: true });
    });
  });

  describe('the link', () => {
    it('works once, and not after fifteen minutes', async () => {
      const [used, late] = [await owner(), await owner()];
      const [token, tooLate] = [await tokenFor(used), await tokenFor(late)];

      expect(await confirm(token)).toBeAnswered(204);
      expect(await confirm(token)).toBeRefused(401, 'LINK_INVALID');
      story.clock.advance(900);
      expect(await confirm(tooLate)).toBeRefused(401, 'LINK_INVALID');
    });

    it.each<[string, (of: Owner) => Promise<unknown>]>([
      ['an administrator sets another address', ({ person }) => change(person, { email: 'admin@set.example' })],
      [
        'an administrator sets another address and the former one again',
        async ({ person, email }) => {
          await change(person, { email: 'admin@set.example' });
          await change(person, { email });
        },
      ],
      ['an administrator sets the same address as the link', ({ person, wanted }) => change(person, { email: wanted })],
      ['an administrator removes the address', ({ person }) => change(person, { email: null })],
      ['an administrator changes the roles', ({ person }) => change(person, { roles: ['ROLE_A'] })],
      ['an administrator disables the account', ({ person }) => change(person, { status: 'disabled' })],
      [
        'the user changes the password',
        ({ client, bearer, person }) =>
          client.post('/me/password', { current: person.password, new: 'nine wet lanterns & 3 harbours' }, { bearer }),
      ],
      [
        'the user reports the request by the link of its notice',
        async ({ email }) => {
          const { text } = await mailbox.mailTo(email, 'Another mail address was requested');
          const token = tokenIn(text.slice(text.indexOf('/portal/not-me?token=')));
          expect(await story.client().post('/account/not-me', { token })).toBeAnswered(204);
        },
      ],
    ])('is void once %s', async (_name, act) => {
      const of = await owner();
      const token = await tokenFor(of);
      await act(of);
      const [before] = await story.database.query('SELECT email, email_version FROM account WHERE login_id = ?', [
        of.person.id,
      ]);

      expect(await confirm(token)).toBeRefused(401, 'LINK_INVALID');
      const [after] = await story.database.query('SELECT email, email_version FROM account WHERE login_id = ?', [
        of.person.id,
      ]);
      expect(after).toEqual(before);
    });

    it('a mail that is sent only after a report has no link', async () => {
      const of = await owner();
      await tokenFor(of);
      const subject = await story.subjectOf(of.person);
      await story.database.query('UPDATE account SET security_stamp = security_stamp + 1 WHERE id = ?', [subject]);
      const facts = JSON.stringify({ to: `late-${of.wanted}`, language: 'en' });
      await queueAgain(subject, facts);

      expect(mailbox.allTo(`late-${of.wanted}`)).toEqual([]);
    });

    /** Stores the mail of a request, as if the relay had been away since then, and waits until it was sent or dropped. */
    async function queueAgain(subject: string, facts: string): Promise<void> {
      const now = story.clock.millis;
      await story.database.query(
        'INSERT INTO mail_message (id, message_id, created_at, template, user_id, facts, state, attempts, next_attempt_at, ' +
          "give_up_at, expires_at) VALUES (?, '<late@x>', ?, 'address-confirmation', ?, ?, 'waiting', 0, ?, ?, ?)",
        [`late-${subject}`.slice(0, 36), now, subject, facts, now, now + 1_000_000, now],
      );
      await waitUntil('no mail waits', async () => {
        return (await story.database.query('SELECT id FROM mail_message')).length === 0;
      });
    }

    it('of concurrent confirmations, one sets the address', async () => {
      const of = await owner();
      const token = await tokenFor(of);

      const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(token)));

      expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array<number>(7).fill(401)]);
      expect(await eventsOf(of.person)).toHaveLength(2);
    });

    it('a confirmation and a change by an administrator at once leave the address of one of them, the link wins at most once', async () => {
      const { accessToken } = await story.signIn(admin.person);
      for (let round = 0; round < 5; round += 1) {
        const of = await owner();
        const token = await tokenFor(of);
        const set = `admin-${of.email}`;

        const [confirmed] = await Promise.all([confirm(token), changeAs(accessToken, of.person, { email: set })]);

        // The administrator's change is not conditional: it is the last one if the link came first, and voids it otherwise.
        expect([204, 401]).toContain(confirmed.status);
        expect(await stateOf(of)).toEqual({ email: set, email_verified: false });
      }
    });
  });

  describe('the page of the link', () => {
    it('shows the address and changes nothing before its form is sent', async () => {
      const of = await owner();
      const token = await tokenFor(of);
      const browser = story.client();

      const page = await visit(browser, `/portal/email?token=${token}`);
      await visit(story.client(), `/portal/email?token=${token}`);
      expect(page.text).toContain(of.wanted);
      expect(page.text.replaceAll(of.wanted, '')).not.toContain(of.person.id);
      expect(await stateOf(of)).toEqual({ email: of.email, email_verified: false });

      const done = await submit(browser, page, {});
      expect(done).toBeAnswered(200);
      expect(done.text).toContain('The mail address is confirmed.');
      expect(await stateOf(of)).toEqual({ email: of.wanted, email_verified: true });
      expect((await visit(browser, `/portal/email?token=${token}`)).status).toBe(401);
    });
  });
});
