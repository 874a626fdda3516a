import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import type { ComposedMail } from '../../../src/platform/mail/mail-message.js';
import type { Tx, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { type MailParts, mailParts, type MailPartsOptions } from '../../support/mail/mail-parts.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { onEveryDatabase, type TestDatabase } from '../../support/database/engines.js';
import { type RelayMood, SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const SUBJECT = '00000000-0000-7000-8000-000000000001';
const mailTo = (to: string): ComposedMail => ({ to, language: 'en', subject: 'News', text: 'Text', html: '<p>Text' });

onEveryDatabase('Mail queue', (database) => {
  const scene = mailScene(database);

  it('a mail is sent after the commit of its transaction, and never after a rollback', async () => {
    const { parts, relay } = scene.open();
    parts.start();
    const lost = database.work.run(async (tx) => {
      await parts.queue.add(tx, { template: 'news', subject: SUBJECT, facts: { to: 'lost@example.com' } });
      throw new Error('rolled back');
    });
    await expect(lost).rejects.toThrow('rolled back');
    await scene.add(parts, 'anna@example.com');

    const [mail] = await relay.mailsTo('anna@example.com');
    expect(mail).toMatchObject({ from: 'no-reply@login.example.com', subject: 'News', text: 'Text' });
    expect(mail?.header).toContain('Auto-Submitted: auto-generated');
    expect(mail?.messageId).toBe(`<${mail?.noticeId ?? ''}@login.example.com>`);
    await scene.isEmpty(parts);
    expect(relay.received).toHaveLength(1);
    expect(countOf(parts, 'mail.sent')).toBe(1);
  });

  it('every mail arrives once after an outage of the relay, which is logged once', async () => {
    const { parts, relay } = scene.open();
    await relay.stop();
    parts.start();
    const addresses = Array.from({ length: 12 }, (_, index) => `user-${index}@example.com`);
    for (const address of addresses) await scene.add(parts, address);
    await waitUntil('the outage is noticed', () => parts.log.messages.some((line) => line.startsWith('WARN')));

    await relay.start();
    await scene.isEmpty(parts);

    expect(relay.received.flatMap(({ to }) => to).sort()).toEqual(addresses.toSorted());
    expect(parts.log.messages.filter((line) => line.startsWith('WARN'))).toEqual([
      'WARN The mail relay accepts no mail; mails wait',
    ]);
    expect(parts.log.messages).toContain('INFO The mail relay accepts mail again');
  });

  it.each<[string, RelayMood]>([
    ['accepts a mail and never responds', 'hang'],
    ['closes the connection in the middle of a mail', 'drop'],
    ['rejects a mail for now', { at: 'mail', code: 451 }],
    ['rejects a recipient for now', { at: 'recipient', code: 450 }],
  ])('a mail arrives later if the relay %s', async (_, mood) => {
    const sendTimeout = Duration.ofMillis(300);
    const { parts, relay } = scene.open({ properties: { sendTimeout, responseTimeout: sendTimeout } });
    relay.mood = mood;
    parts.start();
    await scene.add(parts, 'anna@example.com');
    await waitUntil('an attempt has failed', async () => (await scene.rows(parts))[0]?.last_error !== null);

    relay.mood = 'accept';

    await relay.mailsTo('anna@example.com');
    await scene.isEmpty(parts);
    expect(new Set(relay.received.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('a mail that the relay rejects for good stays visible, and is sent again on request with its first id', async () => {
    const { parts, relay } = scene.open();
    relay.mood = { at: 'recipient', code: 550 };
    parts.start();
    await scene.add(parts, 'gone@example.com');
    await waitUntil('it is given up', async () => (await scene.rows(parts))[0]?.state === 'failed');
    const [row] = await scene.rows(parts);
    expect(row).toMatchObject({ last_error: 'EENVELOPE 550', attempts: 1 });
    expect(parts.log.messages).toContain('WARN A mail could not be sent and was given up');
    expect(countOf(parts, 'mail.failed')).toBe(1);
    relay.mood = 'accept';

    expect(await parts.backlog.resend(row?.id ?? '')).toBe(true);
    expect(await parts.backlog.resend(row?.id ?? '')).toBe(false);

    const [mail] = await relay.mailsTo('gone@example.com');
    expect(mail?.messageId).toBe(row?.message_id);
  });

  it('a mail is given up after the configured time', async () => {
    const clock = new ManualClock();
    const { parts, relay } = scene.open({ clock });
    relay.mood = { at: 'mail', code: 451 };
    await scene.add(parts, 'anna@example.com');
    clock.advance(86_400);

    parts.start();

    await waitUntil('it is given up', async () => (await scene.rows(parts))[0]?.state === 'failed');
    expect(relay.received).toEqual([]);
  });

  it('a mail whose task is rejected stays in its row, without an attempt, and is sent once a place is free', async () => {
    const { parts, relay } = scene.open({ limits: { coreSize: 1, maxSize: 1, queueCapacity: 0 } });
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
    relay.onMail = () => answered;
    const addresses = ['anna@example.com', 'ben@example.com', 'clara@example.com'];
    for (const address of addresses) await scene.add(parts, address);
    parts.start();
    await waitUntil('one mail is at the relay', () => relay.received.length === 1);
    await waitUntil('the others were rejected', () => parts.log.of('tasks').length > 0);
    expect((await scene.rows(parts)).map(({ attempts }) => attempts).sort()).toEqual([0, 0, 1]);
    answer(undefined);
    await scene.isEmpty(parts);

    expect(relay.received.flatMap(({ to }) => to).sort()).toEqual(addresses);
  });

  it('a mail whose task waits is claimed by the replica that has a place for it', async () => {
    const { parts, relay } = scene.open({ limits: { coreSize: 1 } });
    const { parts: other } = scene.open({ relay });
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
    relay.onMail = () => answered;
    for (const address of ['anna@example.com', 'ben@example.com', 'clara@example.com']) await scene.add(parts, address);
    parts.start();
    await waitUntil('one mail is at the relay', () => relay.received.length === 1);
    relay.onMail = undefined;
    other.start();
    await waitUntil('the other replica has sent the rest', () => relay.received.length === 3);
    answer(undefined);
    await scene.isEmpty(parts);

    expect(relay.received).toHaveLength(3);
    expect([countOf(parts, 'mail.sent'), countOf(other, 'mail.sent')]).toEqual([1, 2]);
  });

  it('two replicas send each mail once', async () => {
    const { parts, relay } = scene.open();
    const { parts: other } = scene.open({ relay });
    const addresses = Array.from({ length: 60 }, (_, index) => `user-${index}@example.com`);
    for (const address of addresses) await scene.add(parts, address);

    parts.start();
    other.start();
    await scene.isEmpty(parts);

    expect(relay.received.flatMap(({ to }) => to).sort()).toEqual(addresses.toSorted());
    const sent = [parts, other].map((each) => countOf(each, 'mail.sent'));
    expect(sent.reduce((sum, count) => sum + count)).toBe(addresses.length);
  });

  it('a mail whose replica died is sent by another one after the lease', async () => {
    const clock = new ManualClock();
    const { parts: dead, relay } = scene.open({ clock });
    relay.onMail = () => new Promise(() => undefined);
    await scene.add(dead, 'anna@example.com');
    dead.start();
    await relay.mailsTo('anna@example.com');
    relay.onMail = undefined;
    const { parts } = scene.open({ relay, clock });
    parts.start();
    clock.advance(60);

    const [first, second] = await relay.mailsTo('anna@example.com', 2);

    expect(second?.messageId).toBe(first?.messageId);
    expect(second?.noticeId).toBe(first?.noticeId);
  });

  it('a mail is not sent again if the database was away when the relay had accepted it', async () => {
    const clock = new ManualClock();
    let isAway = false;
    const { work } = database;
    const outages: UnitOfWork = Object.assign(Object.create(work) as UnitOfWork, {
      single: <T>(statement: (tx: Tx) => Promise<T>) =>
        isAway ? Promise.reject(new ServiceError('UNAVAILABLE')) : work.single(statement),
    });
    const { parts, relay } = scene.open({ clock, work: outages });
    relay.onMail = () => {
      isAway = true;
    };
    await scene.add(parts, 'anna@example.com');
    parts.start();
    await relay.mailsTo('anna@example.com');
    await waitUntil('the mail was sent', () => countOf(parts, 'mail.sent') === 1);
    isAway = false;
    expect(await scene.rows(parts)).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    clock.advance(60);

    await scene.isEmpty(parts);

    expect(relay.received).toHaveLength(1);
  });

  it('mails wait no longer after the clock was set back by a day', async () => {
    const clock = new ManualClock();
    const { parts, relay } = scene.open({ clock });
    relay.mood = { at: 'mail', code: 451 };
    clock.advance(86_400);
    await scene.add(parts, 'anna@example.com');
    parts.start();
    await waitUntil('an attempt has failed', async () => (await scene.rows(parts))[0]?.last_error !== null);
    relay.mood = 'accept';

    clock.advance(-86_400);

    await relay.mailsTo('anna@example.com');
    await scene.isEmpty(parts);
    expect(relay.received).toHaveLength(1);
  });

  it('a mail of a template that this version does not know is left to other replicas', async () => {
    const { parts, relay } = scene.open();
    await database.work.run((tx) => parts.queue.add(tx, { template: 'of-a-newer-version', subject: SUBJECT }));
    await scene.add(parts, 'anna@example.com');

    parts.start();
    await relay.mailsTo('anna@example.com');

    await waitUntil('one mail waits', async () => (await scene.rows(parts)).length === 1);
    expect((await scene.rows(parts))[0]).toMatchObject({ template: 'of-a-newer-version', attempts: 0 });
  });

  it('a mail without a recipient is dropped', async () => {
    const { parts, relay } = scene.open();
    parts.start();

    await scene.add(parts, 'nobody');

    await scene.isEmpty(parts);
    expect(relay.received).toEqual([]);
  });

  it.each([
    ['a line break in the subject', { subject: 'News\r\nBcc: eve@example.com' }],
    ['a line break in the text', { text: 'Text\r\n.\r\nMAIL FROM:<eve@example.com>\r\n' }],
    ['a second recipient in the address', { to: 'anna@example.com, eve@example.com' }],
    ['a command in the address', { to: 'anna@example.com>\r\nRCPT TO:<eve@example.com' }],
    ['a comment in the address', { to: 'Eve <eve@example.com>' }],
  ])('%s adds neither a header nor a recipient', async (_, hostile) => {
    const { parts, relay } = scene.open();
    parts.templates.register('hostile', () => Promise.resolve({ ...mailTo('anna@example.com'), ...hostile }));
    parts.start();
    await database.work.run((tx) => parts.queue.add(tx, { template: 'hostile', subject: SUBJECT }));
    await waitUntil('the attempt has ended', async () => {
      const [row] = await scene.rows(parts);
      return row?.last_error !== null;
    });

    for (const mail of relay.received) {
      expect(mail.to).toHaveLength(1);
      expect(mail.to).not.toContain('eve@example.com');
      expect(mail.header.filter((line) => /^(?:bcc|cc):/i.test(line))).toEqual([]);
    }
  });

  it('a relay without STARTTLS gets neither the password nor a mail if a username is set', async () => {
    const plain = await SmtpRelayServer.start({ password: 'relay-password' });
    const { parts } = scene.open({ relay: plain, properties: { username: 'login', password: 'relay-password' } });
    parts.start();
    await scene.add(parts, 'anna@example.com');

    await waitUntil('the attempt has failed', async () => (await scene.rows(parts))[0]?.last_error !== null);
    expect((await scene.rows(parts))[0]).toMatchObject({
      state: 'waiting',
      last_error: expect.stringMatching(/^ETLS/) as string,
    });
    expect(plain.received).toEqual([]);
  });

  it('mails wait for the operator if the relay rejects the password', async () => {
    const closed = await SmtpRelayServer.start({ password: 'another password' });
    const credentials = { username: 'login', password: 'wrong', tls: 'none' } as const;
    const { parts } = scene.open({ relay: closed, properties: credentials });
    parts.start();
    await scene.add(parts, 'anna@example.com');

    await waitUntil('the attempt has failed', async () => (await scene.rows(parts))[0]?.last_error !== null);
    expect((await scene.rows(parts))[0]).toMatchObject({ state: 'waiting', last_error: 'EAUTH 535' });
  });

  it('a shutdown leaves a mail whose relay hangs to the next start', async () => {
    const sendTimeout = Duration.ofSeconds(60);
    const { parts, relay } = scene.open({ properties: { sendTimeout, responseTimeout: sendTimeout } });
    relay.mood = 'hang';
    parts.start();
    await scene.add(parts, 'anna@example.com');
    await waitUntil('the relay is connected', () => relay.connections > 0);

    await parts.stop();

    expect(await scene.rows(parts)).toMatchObject([{ state: 'waiting', last_error: 'SHUTDOWN' }]);
    relay.mood = 'accept';
    const { parts: next } = scene.open({ relay });
    next.start();
    await relay.mailsTo('anna@example.com');
    await scene.isEmpty(next);
  });
});

describe('Mail queue without a relay', () => {
  it('stores nothing', async () => {
    const parts = mailParts(undefined as never);
    await parts.queue.add(undefined as never, { template: 'news', subject: SUBJECT });

    expect(parts.queue.isEnabled).toBe(false);
  });
});

function countOf({ meters }: MailParts, meter: string): number {
  return meters.find(meter)?.of().measure()[0]?.value ?? NaN;
}

interface Opened {
  readonly parts: MailParts;
  readonly relay: SmtpRelayServer;
}

/** Replicas on one database, each test with its own relay. */
function mailScene(database: TestDatabase) {
  let opened: MailParts[] = [];
  const relays: SmtpRelayServer[] = [];
  let relay: SmtpRelayServer;
  beforeEach(async () => {
    relay = await SmtpRelayServer.start();
    relays.push(relay);
  });
  afterEach(async () => {
    await Promise.all(opened.map((parts) => parts.stop()));
    opened = [];
    await relay.stop();
    await database.dataSource.query('DELETE FROM mail_message');
  });
  afterAll(() => Promise.all(relays.map((each) => each.stop())));
  return {
    open({
      relay: own,
      properties,
      work = database.work,
      ...options
    }: MailPartsOptions & { readonly relay?: SmtpRelayServer; readonly work?: UnitOfWork } = {}): Opened {
      const to = own ?? relay;
      relays.push(to);
      const parts = mailParts(work, { ...options, properties: { ...to.address, ...properties } });
      parts.templates.register('news', ({ facts: { to: address = '' } }) =>
        Promise.resolve(address === 'nobody' ? undefined : mailTo(address)),
      );
      opened.push(parts);
      return { parts, relay: to };
    },
    add(parts: MailParts, to: string): Promise<void> {
      return database.work.run((tx) => parts.queue.add(tx, { template: 'news', subject: SUBJECT, facts: { to } }));
    },
    rows: (parts: MailParts) => parts.backlog.list({ limit: 100 }),
    async isEmpty(parts: MailParts): Promise<void> {
      await waitUntil('no mail waits', async () => (await parts.backlog.list({ limit: 1 })).length === 0);
    },
  };
}
