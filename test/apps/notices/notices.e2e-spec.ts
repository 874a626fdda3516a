import { afterAll, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import type { NoticeKind } from '../../../src/apps/notices/notice.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { Administrator, OTHERS } from '../../support/login/administrator.js';
import { PASSWORD, secondStep, storyOn } from '../../support/login/login-story.js';
import { type HttpClient, textOf } from '../../support/http/http-client.js';
import { follow, submit, visit } from '../../support/pages/pages.js';
import { enrolledWithAddress, noticeTo, textsOfNotice, withAddress } from '../../support/mail/notices.js';
import { SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const NEW_PASSWORD = 'eight quiet lanterns & 2 harbours';
/** The services wait for no event that a test did not cause. */
const ARGS = [
  '--app.mail.poll-interval=200ms',
  '--app.mail.retry.first-delay=100ms',
  '--app.mail.retry.max-delay=500ms',
];

const relay = await SmtpRelayServer.start();
afterAll(() => relay.stop());

describe.each(['en', 'ko'] as const)('Notices in %s', (language) => {
  onSqlite('Notices', (engine) => {
    const contact = 'IT desk & friends, +82 2 123 4567';
    const args = [
      ...[...relay.args, ...ARGS, `--app.messages.default-language=${language}`],
      `--app.branding.help-contact=${contact}`,
    ];
    const story = storyOn(engine, { args, people: 4 });
    const texts = messagesOf(language).notices;

    it(
      'every act on an account is reported to its user, with its text, time, origin and a link',
      { timeout: 60_000 },
      async () => {
        const person = story.person();
        const address = await withAddress(story, person, `all-${language}@example.com`);
        const expectNotice = async (kind: NoticeKind): Promise<string> => {
          const mail = await noticeTo(relay, address, kind, language);
          const { title, text } = textsOfNotice(kind, language);
          expect(mail.subject).toBe(`Login service: ${title}`);
          for (const body of [mail.text, mail.html]) {
            expect(body).toContain(text);
            expect(body).toContain(person.id);
            expect(body).toContain('UTC');
            expect(body).toMatch(/\/portal\/not-me\?token=[\w-]{43}/);
          }
          const line = messagesOf(language).common.contact(contact);
          expect(mail.text).toContain(`\n${line}\n`);
          expect(mail.html).toContain(`<br>${line.replace('&', '&amp;')}</p>`);
          expect(mail.html).toContain(`<html lang="${language}">`);
          expect(mail.html).not.toMatch(/<(?:img|script|link|iframe)|src=|url\(/i);
          return mail.text;
        };
        const enrolled = await story.enrolled(person);
        await expectNotice('mfa-on');

        const client = story.client();
        client.headers['user-agent'] = FIREFOX;
        await story.signIn(enrolled, client);
        const newDevice = await expectNotice('new-device');
        expect(newDevice).toContain(texts.browserOn('Firefox', 'Windows'));
        expect(newDevice).toContain(`${texts.address}: 127.0.0.1`);

        const mfaToken = await story.mfaToken(enrolled, client);
        expect(await secondStep(client, mfaToken, String(enrolled.backupCodes[0]))).toBeAnswered(200);
        expect(await expectNotice('code-used')).toContain(texts.codesLeft(9));

        const { accessToken: bearer } = await story.signIn(enrolled, client);
        expect(await client.post('/2fa/backup-codes', {}, { bearer })).toBeAnswered(201);
        await expectNotice('codes-reissued');

        story.clock.nextStep();
        const setup = await client.post('/2fa/setup', {}, { bearer });
        const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
        expect(await client.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer })).toBeAnswered(200);
        await expectNotice('mfa-replaced');
        const change = { current: PASSWORD, new: NEW_PASSWORD };
        expect(await client.post('/me/password', change, { bearer })).toBeAnswered(204);
        await expectNotice('password-changed');

        const changed = { ...enrolled, app, password: NEW_PASSWORD };
        await story.lock(changed, client);
        expect(await expectNotice('locked')).toMatch(/\/portal\/unlock\?token=[\w-]{43}/);
        expect((await story.command('users', 'unlock', person.id)).exitCode).toBe(0);

        const again = await story.signIn(changed, client);
        const code = story.nextCode(changed);
        expect(await client.post('/2fa/disable', { code }, { bearer: again.accessToken })).toBeAnswered(204);
        await expectNotice('mfa-off');

        expect((await story.command('users', 'reset-mfa', person.id)).exitCode).toBe(0);
        const reset = await expectNotice('mfa-reset');
        expect(reset).toContain(`${texts.by}: ${texts.administrator}`);
        expect(reset).not.toContain(texts.browser);
        expect(reset).not.toContain('127.0.0.1');
        expect((await story.command('users', 'set-password', person.id)).exitCode).toBe(0);
        await expectNotice('password-reset');
      },
    );
  });
});

onSqlite('Notices about new devices and backup codes', (engine) => {
  const story = storyOn(engine, { args: [...relay.args, ...ARGS], people: 9, others: OTHERS });
  let boss: Promise<Administrator> | undefined;
  const administrator = (): Promise<Administrator> => (boss ??= Administrator.of(story));

  it('the first login of an account and a login of a known browser cause no notice', async () => {
    const { person, address } = await enrolledWithAddress(story, relay);
    const client = story.client();

    await story.signIn(person, client);
    await story.signIn(person, client);
    await story.signIn(person, person.client);

    await noticeTo(relay, address, 'new-device');
    expect(await story.countOf(person, 'NEW_DEVICE')).toBe(1);
  });

  it('a client without cookies is reported once for each user agent, again after 30 days and after a reset', async () => {
    const { person } = await enrolledWithAddress(story, relay);
    const signIn = async (agent: string): Promise<number> => {
      const client = story.client();
      client.headers['user-agent'] = agent;
      await story.signIn(person, client);
      return story.countOf(person, 'NEW_DEVICE');
    };

    expect([await signIn('robot/1'), await signIn('robot/1'), await signIn('robot/1')]).toEqual([1, 1, 1]);
    expect([await signIn('robot/2'), await signIn('robot/1')]).toEqual([2, 2]);
    story.clock.advance(30 * 86_400);
    expect([await signIn('robot/1'), await signIn('robot/1')]).toEqual([3, 3]);
    expect((await story.command('users', 'set-roles', person.id, 'ROLE_CLERK')).exitCode).toBe(0);
    expect([await signIn('robot/1'), await signIn('robot/1')]).toEqual([4, 4]);
  });

  it('a second browser with the user agent and the network of a known one is new', async () => {
    const { person } = await enrolledWithAddress(story, relay);
    const signInOnPages = async (client: HttpClient): Promise<number> => {
      const step = await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
      const code = story.nextCode(person);
      expect(await submit(client, await follow(client, step), { code })).toBeAnswered(303);
      return story.countOf(person, 'NEW_DEVICE');
    };
    const [first, second] = [story.client(), story.client()];

    expect([await signInOnPages(first), await signInOnPages(second)]).toEqual([1, 2]);
    // The known browser is not new, also after a sign-out.
    const home = await visit(first, '/');
    expect(await submit(first, home, {}, {}, 'Sign out')).toBeAnswered(303);
    expect(await signInOnPages(first)).toBe(2);
  });

  it('a browser that only another account has used is new', async () => {
    const [{ person: anna }, { person: ben }] = [
      await enrolledWithAddress(story, relay),
      await enrolledWithAddress(story, relay),
    ];

    await story.signIn(ben, anna.client);

    expect(await story.countOf(ben, 'NEW_DEVICE')).toBe(1);
  });

  it('the notice about a used backup code says that few are left, and there is no second one', async () => {
    const { person, address } = await enrolledWithAddress(story, relay);
    for (const code of person.backupCodes.slice(0, 7)) {
      expect(await secondStep(person.client, await story.mfaToken(person, person.client), code)).toBeAnswered(200);
    }
    const { codesLeft, codesLow } = messagesOf('en').notices;

    const last = await waitUntil('the last notice has arrived', () =>
      relay.received.find(({ to, text }) => to.includes(address) && text.includes(codesLeft(3))),
    );

    expect(last.text).toContain(codesLow);
    expect(await story.countOf(person, 'BACKUP_LOW')).toBe(1);
    expect(relay.received.filter(({ to, text }) => to.includes(address) && text.includes(codesLow))).toHaveLength(1);
  });

  it('T9: text of a caller adds no header, recipient or markup to a notice', async () => {
    const { person, address } = await enrolledWithAddress(story, relay);
    const client = story.client();
    client.headers['user-agent'] = '<script>alert(1)</script>"><a href="https://evil.example">Firefox/1';
    const id = '<b onclick=x>&"eve\r\nBcc: eve@example.com\u202e';
    await story.signIn(person, client);
    await story.database.query('UPDATE account SET login_id = ? WHERE login_id = ?', [id, person.id]);

    const mail = await noticeTo(relay, address, 'new-device');

    expect(mail.to).toEqual([address]);
    expect(mail.header.filter((line) => /^(?:bcc|cc):/i.test(line))).toEqual([]);
    expect(mail.html).not.toMatch(/<script|<b |evil\.example|\r|\u202e/);
    expect(mail.text).not.toMatch(/^Bcc|evil\.example|\u202e/m);
  });

  it('a changed address is told to the old one with a link, and to the new one without anything of the account', async () => {
    const { person, address } = await enrolledWithAddress(story, relay);
    const admin = await administrator();
    const added = `new-${address}`;
    const path = `/users/${await story.subjectOf(person)}`;

    expect(await admin.send('PATCH', path, { email: added })).toBeAnswered(200);

    const old = await noticeTo(relay, address, 'address-changed');
    expect(old.text).toContain(person.id);
    expect(old.text).toMatch(/\/portal\/not-me\?token=[\w-]{43}/);
    expect(old.text + old.html).not.toContain(added);
    const { title } = messagesOf('en').notices.addressAdded;
    const told = await waitUntil('the new address was told', () =>
      relay.received.find(({ to, subject }) => to.includes(added) && subject.endsWith(title)),
    );
    for (const body of [told.text, told.html]) {
      expect(body).not.toContain(person.id);
      expect(body).not.toContain(address.replace(/@.*/, ''));
      expect(body).not.toMatch(/token=|127\.0\.0\.1/);
    }

    expect(await admin.send('PATCH', path, { email: added })).toBeAnswered(200);
    expect(await admin.send('PATCH', path, { email: null })).toBeAnswered(200);
    await noticeTo(relay, added, 'address-changed');
    const mails = relay.received.filter(({ to }) => to.includes(added));
    expect(mails.map(({ subject }) => subject.includes(title))).toEqual([true, false]);
  });

  it('an account without an address gets no notice, and no mail waits for it', async () => {
    const person = await story.enrolled();

    await waitUntil('the mail was dropped', async () => {
      // In this order: the relay of an event may add a mail.
      const unrelayed = await story.database.query('SELECT id FROM security_event WHERE batch <= 0');
      const rows = await story.database.query<{ mails: number }>('SELECT COUNT(*) AS mails FROM mail_message');
      return unrelayed.length === 0 && rows[0]?.mails === 0;
    });
    expect(await story.countOf(person, 'MFA_CONFIRMED')).toBe(1);
    expect(relay.received.filter(({ text }) => text.includes(person.id))).toEqual([]);
  });
});

onAnyEngine('Notices of two services that share a database', (engine) => {
  const story = storyOn(engine, { args: [...relay.args, ...ARGS], people: 12, services: 2 });

  it('each notice is mailed once', async () => {
    const addresses: string[] = [];
    for (let number = 0; number < 12; number += 1) {
      const person = story.person();
      addresses.push(await withAddress(story, person, `${engine.name}-${number}@example.com`));
      await story.enrolled(person, story.client(number % 2));
    }

    for (const address of addresses) await noticeTo(relay, address, 'mfa-on');

    const messageIds = relay.received.filter(({ to }) => addresses.includes(to[0] ?? '')).map((mail) => mail.messageId);
    expect(new Set(messageIds).size).toBe(messageIds.length);
    expect(messageIds).toHaveLength(addresses.length);
  });
});

onSqlite('Notices with a relay that hangs', (engine) => {
  const story = storyOn(engine, { args: ARGS, people: 12 });

  it('logins succeed while no mail can be sent, and the notices arrive later', async () => {
    const slow = await SmtpRelayServer.start();
    slow.mood = 'hang';
    await story.service.stop();
    await story.restart([...slow.args, '--app.mail.pool-size=1']);
    const first = story.person();
    const address = await withAddress(story, first);
    const enrolled = await story.enrolled(first);
    await waitUntil('the relay has got the mail', () => slow.connections > 0);

    for (let number = 0; number < 5; number += 1) {
      const client = story.client();
      client.headers['user-agent'] = `browser ${number}`;
      await story.signIn(enrolled, client);
    }
    expect(slow.received).toEqual([]);
    story.clock.run();
    await slow.stop();
    slow.mood = 'accept';
    await slow.start();

    await noticeTo(slow, address, 'mfa-on');
    await slow.mailsTo(address, 6);
    await slow.stop();
  });

  it('without a relay, no mail is stored and one line of the log says so', async () => {
    await story.service.stop();
    await story.restart();
    const person = story.person();
    await withAddress(story, person);
    await story.enrolled(person);

    await waitUntil('the event was relayed', async () => {
      const open = await story.database.query('SELECT id FROM security_event WHERE batch <= 0');
      return open.length === 0;
    });
    const subject = await story.subjectOf(person);
    expect(await story.database.query('SELECT id FROM mail_message WHERE user_id = ?', [subject])).toEqual([]);
    expect(story.service.log.filter((line) => line.includes('No notices are mailed'))).toHaveLength(1);
  });
});
