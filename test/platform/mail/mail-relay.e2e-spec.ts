import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storyOn } from '../../support/login/login-story.js';
import { enrolledWithAddress, noticeTo } from '../../support/mail/notices.js';
import { SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

/** Mails that the service sends at the same time. */
const POOL_SIZE = 2;

onAnyEngine('a login while the mail relay hangs', (engine) => {
  let relay: SmtpRelayServer;
  const story = storyOn(engine, { people: 2 * (POOL_SIZE + 1), isAlone: true });
  beforeAll(async () => {
    relay = await SmtpRelayServer.start();
    await story.service.kill();
    await story.restart([...relay.args, `--app.mail.pool-size=${POOL_SIZE}`, '--app.mail.poll-interval=200ms']);
  });
  afterAll(() => relay.stop());

  it('a login is completed while the relay leaves all mails unanswered; its notice arrives later, and none twice', async () => {
    const first = await enrolledWithAddress(story, relay);
    const others = [await enrolledWithAddress(story, relay), await enrolledWithAddress(story, relay)];
    const before = relay.received.length;
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
    relay.onMail = () => answered;
    for (const { person } of others) await story.signIn(person, story.client());
    await waitUntil('each connection waits for the relay', () => relay.received.length === before + POOL_SIZE);

    await story.signIn(first.person, story.client());

    expect(relay.received).toHaveLength(before + POOL_SIZE);
    answer(undefined);
    await noticeTo(relay, first.address, 'new-device');
    await waitUntil('no mail waits', async () => {
      const rows = await story.database.query('SELECT id FROM mail_message');
      return rows.length === 0;
    });
    const ids = relay.received.map(({ noticeId }) => noticeId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a login is completed while a relay that never greets holds the connection', async () => {
    const { person } = await enrolledWithAddress(story, relay);
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await story.service.kill();
    // No time-out of the service ends the connection before the login.
    const timeouts = ['--app.mail.connect-timeout=10m', '--app.mail.send-timeout=10m'];
    await story.restart(['--app.mail.host=127.0.0.1', `--app.mail.port=${port}`, ...timeouts]);
    await story.signIn(person, story.client());
    await waitUntil('the service is connected', () => sockets.length > 0);

    await story.signIn(person, story.client());

    expect(sockets[0]?.closed).toBe(false);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

/** DNS servers that give every name an address where nothing listens (RFC 5737). */
const WRONG_DNS =
  "data:text/javascript,import { Resolver } from 'node:dns'; Resolver.prototype.resolve4 = (...args) => args.at(-1)(null, ['192.0.2.1']);";

onAnyEngine('the name of the relay and the name of the service', (engine) => {
  let relay: SmtpRelayServer;
  const story = storyOn(engine, { people: 1, isAlone: true, nodeArguments: ['--import', WRONG_DNS] });
  beforeAll(async () => {
    relay = await SmtpRelayServer.start();
    await story.service.kill();
    await story.restart([...relay.args, '--app.mail.host=localhost', '--app.mail.ehlo-name=login.example.com']);
  });
  afterAll(() => relay.stop());

  it('C6: the system resolves the name of the relay, and app.mail.ehlo-name introduces the service', async () => {
    const { address } = await enrolledWithAddress(story, relay);

    expect(relay.received.map(({ to, ehloName }) => [to, ehloName])).toEqual([[[address], 'login.example.com']]);
  });
});
