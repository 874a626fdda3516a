import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { storyOn } from '../../support/login/login-story.js';
import { type ManagedService, managed, OPERATOR } from '../../support/management/management.js';
import { enrolledWithAddress, noticeTo } from '../../support/mail/notices.js';
import { SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { WebhookReceiver } from '../../support/events/webhook-receiver.js';

const REJECTED = 'A background task was rejected: pool and queue are full';
const ACCEPTED_AGAIN = 'Background tasks are accepted again';

onSqlite('app.task.execution of a running service', (engine) => {
  const story = storyOn(engine, { people: 20, isAlone: true });
  let relay: SmtpRelayServer;
  let release: () => void = () => undefined;

  beforeAll(async () => {
    relay = await SmtpRelayServer.start();
  });
  afterAll(() => relay.stop());
  afterEach(() => {
    release();
    relay.onMail = undefined;
  });

  const restarted = async (...args: readonly string[]): Promise<ManagedService> => {
    await story.service.kill();
    // A killed service leaves mails that it was sending; their leases outlive this test.
    await story.database.query('DELETE FROM mail_message');
    await story.restart([
      ...relay.args,
      '--app.mail.poll-interval=200ms',
      '--app.mail.pool-size=10',
      '--management.endpoints.web.exposure.include=*',
      `--management.security.user=${OPERATOR.user}`,
      `--management.security.password=${OPERATOR.password}`,
      '--logging.pattern.console=%level [%thread] %logger %msg%n',
      ...args,
    ]);
    return managed(story.service);
  };
  /** The relay keeps mails, and responds to none until `release` is called. */
  const hold = (): void => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    relay.onMail = () => promise;
    release = () => {
      resolve(undefined);
    };
  };
  /** Each of several users signs in at a new device, about which each gets a mail while the relay holds all of them. */
  const heldNotices = async (number: number): Promise<{ readonly addresses: readonly string[]; before: number }> => {
    const users = [];
    for (let at = 0; at < number; at += 1) users.push(await enrolledWithAddress(story, relay));
    await nothingWaits();
    const before = relay.received.length;
    hold();
    for (const { person } of users) await story.signIn(person, story.client());
    return { addresses: users.map(({ address }) => address), before };
  };
  const nothingWaits = (): Promise<unknown> =>
    waitUntil('no mail waits', async () => (await story.database.query('SELECT id FROM mail_message')).length === 0);
  const measured = async ({ operator }: ManagedService, name: string): Promise<number | undefined> => {
    const { body } = await operator.get(`/metrics/${name}?tag=name:task-execution`);
    return (body['measurements'] as readonly { readonly value: number }[])[0]?.value;
  };
  const threads = async ({ operator }: ManagedService): Promise<readonly string[]> => {
    const { body } = await operator.get('/threaddump');
    return (body['threads'] as readonly { readonly threadName: string }[]).map(({ threadName }) => threadName);
  };
  const linesWith = (text: string): readonly string[] =>
    story.service.stdout.split('\n').filter((line) => line.includes(text));

  it('core-size run, queue-capacity wait, max-size run at most, and a further mail is rejected until a place is free', async () => {
    const service = await restarted(
      '--app.task.execution.pool.core-size=1',
      '--app.task.execution.pool.queue-capacity=1',
      '--app.task.execution.pool.max-size=2',
      '--app.task.execution.thread-name-prefix=bg-',
    );
    const { addresses, before } = await heldNotices(4);
    await waitUntil('a mail is rejected', async () => ((await measured(service, 'executor.rejected.tasks')) ?? 0) > 0);
    await waitUntil('two mails are at the relay', () => relay.received.length >= before + 2);

    expect(await measured(service, 'executor.active.threads')).toBe(2);
    expect(await measured(service, 'executor.pool.size.threads')).toBe(2);
    expect(await measured(service, 'executor.queued.tasks')).toBe(1);
    expect(relay.received).toHaveLength(before + 2);
    expect((await threads(service)).filter((name) => name.startsWith('bg-'))).toEqual(['bg-1', 'bg-2']);
    await waitUntil('the rejection is logged', () => linesWith(REJECTED).length === 1);

    release();
    for (const address of addresses) await noticeTo(relay, address, 'new-device');
    await nothingWaits();
    await waitUntil('the bout has ended', () => linesWith(ACCEPTED_AGAIN).length === linesWith(REJECTED).length);
    expect(relay.received).toHaveLength(before + 4);
    expect(await measured(service, 'executor.completed.tasks')).toBeGreaterThanOrEqual(4);
  });

  it('a receiver of the webhook that hangs leaves places to mails', async () => {
    const receiver = await new WebhookReceiver().start();
    receiver.answer = () => undefined;
    const service = await restarted(
      `--app.security.webhook.url=${receiver.url}`,
      '--app.security.webhook.timeout=5m',
      '--app.task.execution.pool.core-size=4',
    );
    for (let at = 0; at < 3; at += 1) await story.signIn(await story.enrolled());
    await waitUntil('requests hang', async () => (await measured(service, 'executor.active.threads')) === 2);

    const { address } = await enrolledWithAddress(story, relay);

    expect(relay.received.some(({ to }) => to.includes(address))).toBe(true);
    expect(receiver.deliveries).toHaveLength(2);
    await story.service.kill();
    await receiver.stop();
  });

  it('the log names the thread of a task by thread-name-prefix and the number of its place', async () => {
    const receiver = await new WebhookReceiver().start();
    receiver.answer = (_, response) => void response.writeHead(500).end();
    await restarted(`--app.security.webhook.url=${receiver.url}`, '--app.task.execution.thread-name-prefix=bg-');
    await story.signIn(await story.enrolled());
    const [line] = await waitUntil('the failure is logged', () => {
      const lines = linesWith('The webhook does not accept events');
      return lines.length > 0 && lines;
    });

    expect(line).toMatch(/^WARN \[bg-\d\] webhook /);
    await story.service.kill();
    await receiver.stop();
  });

  it('a shutdown waits for the mail that is being sent', async () => {
    const service = await restarted();
    const { addresses, before } = await heldNotices(1);
    await waitUntil('the mail is at the relay', () => relay.received.length === before + 1);
    const stopped = service.stop();
    await waitUntil('the shutdown has begun', () => linesWith('Stopping').length > 0);
    release();

    expect(await stopped).toBe(0);
    expect(await story.database.query('SELECT id FROM mail_message')).toEqual([]);
    await noticeTo(relay, addresses[0] ?? '', 'new-device');
    await story.restart([]);
  });

  it('a shutdown whose phase ends before a task names the task', async () => {
    const service = await restarted('--app.lifecycle.timeout-per-shutdown-phase=1s');
    const { before } = await heldNotices(1);
    await waitUntil('the mail is at the relay', () => relay.received.length === before + 1);
    await service.stop();

    expect(linesWith('Shutdown did not complete in time')).toEqual([
      expect.stringMatching(/MailDelivery\.send \(async-1\)/),
    ]);
    release();
    await story.restart([]);
  });
});
