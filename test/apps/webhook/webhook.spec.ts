import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import type { EventRow } from '../../../src/identity/events/event-line.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { WebhookDeliveries } from '../../../src/apps/webhook/webhook-deliveries.service.js';
import { WebhookDeliveryStore } from '../../../src/apps/webhook/webhook-delivery.store.js';
import { WebhookOutbox } from '../../../src/apps/webhook/sender/webhook-outbox.service.js';
import { WebhookSender } from '../../../src/apps/webhook/sender/webhook-sender.service.js';
import { WebhookClient } from '../../../src/apps/webhook/sender/webhook.client.js';
import type { LogoutTokens } from '../../../src/signin/oidc/logout/logout-tokens.service.js';
import { WebhookProperties } from '../../../src/apps/webhook/webhook.properties.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { outboundHttp } from '../../support/http/outbound.js';
import { taskExecutor } from '../../support/database/task-executor.js';
import { signatureOf, WebhookReceiver } from '../../support/events/webhook-receiver.js';

const DAY = 86_400;

onEveryDatabase('the webhook', (database) => {
  const clock = new ManualClock(1_800_000_000);
  const receiver = new WebhookReceiver();
  const never = new AbortController().signal;
  let events = 0;

  beforeAll(() => receiver.start());
  afterAll(() => receiver.stop());
  beforeEach(async () => {
    await database.work.single((tx) => tx.change('DELETE FROM webhook_delivery'));
    receiver.answer = (_, response) => void response.writeHead(204).end();
    receiver.deliveries.length = 0;
    clock.advance(DAY);
  });

  /** One replica. */
  function replica(keys: Partial<WebhookProperties> = {}, log = new CollectedLog(), executor = taskExecutor()) {
    const properties = Object.assign(new WebhookProperties(), { url: receiver.url, ...keys });
    const store = new WebhookDeliveryStore();
    const outbox = new WebhookOutbox(store, database.work, clock, properties);
    const client = new WebhookClient(outboundHttp(), properties, clock, {} as LogoutTokens);
    const sender = new WebhookSender(outbox, client, executor, new Meters(), log.loggers);
    return {
      sender,
      log,
      deliveries: new WebhookDeliveries(database.work, store, properties, clock),
      /** Sends until nothing is due. */
      send: async (): Promise<void> => {
        while ((await sender.send(never, () => undefined)) > 0) await sender.idle();
      },
    };
  }

  /** An event of a user, enqueued as the relay does. */
  async function enqueue(user: string | null, { deliveries } = replica()): Promise<string> {
    const id = `event-${String((events += 1)).padStart(8, '0')}`;
    const facts = { actor: null, ip: null, agent: null, request_id: null, idp: null, authn_context: null, amr: null };
    const at = clock.millis();
    const event: EventRow = {
      id,
      at,
      kind: 'MFA_OK',
      user_id: user,
      ...facts,
      result: 'ok',
      reason: null,
      detail: null,
    };
    await database.work.run((tx) => deliveries.enqueue(tx, event));
    return id;
  }

  const sent = (): readonly string[] => receiver.deliveries.map(({ id }) => id);

  it('an accepted event is sent once, with its id', async () => {
    const id = await enqueue('anna');
    const { send, deliveries } = replica();
    await send();
    await send();

    expect(sent()).toEqual([id]);
    expect(receiver.deliveries[0]?.timestamp).toBe(clock.seconds());
    expect(await deliveries.counts()).toEqual({ pending: 0, dead: 0 });
  });

  it('a request has a valid signature for each of two secrets', async () => {
    const [secret, otherSecret] = [randomBytes(32), randomBytes(24)];
    await enqueue('anna');
    await replica({ secret, otherSecret }).send();

    const [delivery] = receiver.deliveries;
    if (!delivery) throw new Error('nothing was sent');
    expect(delivery.signatures).toEqual(
      [secret, otherSecret].map((each) => signatureOf(delivery, each.toString('base64'))),
    );
  });

  it('an event waits for the earlier ones of its user, and not for those of other users', async () => {
    const user = randomUUID();
    const [first, second] = [await enqueue(user), await enqueue(user)];
    const [other, without] = [await enqueue('other'), await enqueue(null)];
    receiver.answer = ({ id }, response) => void response.writeHead(id === first ? 500 : 204).end();
    const { send } = replica();
    await send();
    expect([...sent()].sort()).toEqual([first, other, without]);
    const third = await enqueue(user);
    await send();
    expect(sent()).toHaveLength(3);

    receiver.answer = (_, response) => void response.writeHead(200).end('accepted');
    clock.advance(5);
    await send();

    expect(receiver.of(user).map(({ id }) => id)).toEqual([first, first, second, third]);
  });

  it('a slow response of one user does not hold up the others', async () => {
    const slow = await enqueue('slow');
    let finish = (): void => undefined;
    receiver.answer = ({ id }, response) => {
      finish = () => void response.writeHead(204).end();
      if (id !== slow) finish();
    };
    const { sender, deliveries } = replica();
    await sender.send(never, () => undefined);
    await expect.poll(sent).toEqual([slow]);
    const held = finish;
    const quick = await enqueue('quick');

    await sender.send(never, () => undefined);

    await expect.poll(() => deliveries.counts()).toEqual({ pending: 1, dead: 0 });
    expect(sent()).toEqual([slow, quick]);
    held();
    await sender.idle();
    expect(await deliveries.counts()).toEqual({ pending: 0, dead: 0 });
  });

  it('a failed event is tried again after the configured delays, the last of which is repeated', async () => {
    await enqueue('anna');
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const { send } = replica({ retryDelays: [10, 60].map((seconds) => Duration.ofSeconds(seconds)) });
    const tries: number[] = [];
    await send();
    for (let second = 1; second <= 140; second += 1) {
      clock.advance(1);
      const before = receiver.deliveries.length;
      await send();
      if (receiver.deliveries.length > before) tries.push(second);
    }

    expect(tries).toEqual([10, 70, 130]);
  });

  it('the header Retry-After postpones the next attempt, for an hour at most', async () => {
    await enqueue('anna');
    receiver.answer = (_, response) => void response.writeHead(429, { 'retry-after': '100000' }).end();
    const { send } = replica();
    await send();
    clock.advance(3599);
    await send();
    expect(receiver.deliveries).toHaveLength(1);
    clock.advance(1);
    await send();

    expect(receiver.deliveries).toHaveLength(2);
  });

  it('an event that is not accepted in time is a dead letter, which does not hold up its user, and is sent again on demand', async () => {
    const [dead, next] = [await enqueue('anna'), await enqueue('anna')];
    receiver.answer = ({ id }, response) => void response.writeHead(id === dead ? 400 : 204).end();
    const { send, deliveries, log } = replica({ giveUpAfter: Duration.ofSeconds(20) });
    for (let step = 0; step < 5; step += 1) {
      await send();
      clock.advance(30);
    }

    expect(receiver.of('anna').at(-1)?.id).toBe(next);
    expect(await deliveries.list('dead', '', 10)).toMatchObject([
      { id: dead, kind: 'MFA_OK', queue: 'anna', state: 'dead', attempts: 2, failure: '400' },
    ]);
    expect(log.lines.map(({ message }) => message)).toContain(
      'The webhook did not accept an event, which is a dead letter now',
    );
    const resend = (id: string): Promise<number> => database.work.single((tx) => deliveries.resend(id, tx));
    expect(await resend('unknown')).toBe(0);
    expect(await resend(dead)).toBe(1);
    receiver.answer = (_, response) => void response.writeHead(204).end();
    await send();
    expect(sent().filter((id) => id === dead)).toHaveLength(3);
    expect(await deliveries.counts()).toEqual({ pending: 0, dead: 0 });
  });

  it('an event that the receiver answers with 410 is a dead letter at once', async () => {
    await enqueue('anna');
    receiver.answer = (_, response) => void response.writeHead(410).end();
    const { send, deliveries } = replica();
    await send();

    expect(await deliveries.list('dead', '', 10)).toMatchObject([{ attempts: 1, failure: '410' }]);
  });

  it('a redirect is not followed', async () => {
    await enqueue('anna');
    const target = await new WebhookReceiver().start();
    receiver.answer = (_, response) => void response.writeHead(307, { location: target.url }).end();
    const { send, deliveries } = replica();
    await send();

    expect(await deliveries.list('pending', '', 10)).toMatchObject([{ failure: '307' }]);
    expect(target.deliveries).toEqual([]);
    await target.stop();
  });

  it('a receiver that does not respond in time fails the attempt, and so does one that is stopped', async () => {
    await enqueue('anna');
    receiver.answer = () => undefined;
    const { send, deliveries } = replica({ timeout: Duration.ofMillis(100) });
    await send();
    expect(await deliveries.list('pending', '', 10)).toMatchObject([{ failure: 'timeout' }]);
    await receiver.stop();
    clock.advance(5);
    await replica()
      .send()
      .finally(() => receiver.start());

    // A kept connection may end only while the request is sent.
    const failure: unknown = expect.stringMatching(/^(?:ECONNREFUSED|ECONNRESET|EPIPE|UND_ERR_SOCKET)$/);
    expect(await deliveries.list('pending', '', 10)).toMatchObject([{ failure, attempts: 2 }]);
  });

  it('a response without an end is accepted by its status, and not read to its end', async () => {
    await enqueue('anna');
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const write = (): void => {
        if (!response.destroyed && response.write('x'.repeat(8192))) setImmediate(write);
      };
      response.on('drain', write);
      write();
    };
    const { send, deliveries } = replica();
    await send();

    expect(await deliveries.counts()).toEqual({ pending: 0, dead: 0 });
  });

  it('L3: three replicas keep the order of each user while requests fail and responses are lost', async () => {
    const users = 6;
    for (let index = 0; index < 60; index += 1) await enqueue(`user-${index % users}`);
    let requests = 0;
    receiver.answer = (_, response) => {
      requests += 1;
      if (requests % 3 === 0) response.writeHead(requests % 2 === 0 ? 500 : 302, { location: receiver.url }).end();
      else if (requests % 5 === 0) response.destroy();
      else response.writeHead(204).end();
    };
    const replicas = [1, 2, 3].map(() => replica({ retryDelays: [Duration.ofSeconds(1)] }));
    const { deliveries } = replica();
    while ((await deliveries.counts()).pending > 0) {
      await Promise.all(replicas.map(({ send }) => send()));
      clock.advance(1);
    }

    for (let user = 0; user < users; user += 1) {
      const ids = receiver.of(`user-${user}`).map(({ id }) => id);
      expect(new Set(ids).size).toBe(10);
      expect(ids).toEqual(ids.toSorted());
    }
  });

  it('an event whose task is rejected stays in its row, without an attempt, and is sent once a place is free', async () => {
    const executor = taskExecutor(undefined, undefined, { coreSize: 1, maxSize: 1, queueCapacity: 0 });
    const { sender, send, deliveries } = replica({}, undefined, executor);
    const id = await enqueue('anna');
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    const other = executor.submit('MailDelivery.send', () => ended);
    expect(await sender.send(never, () => undefined)).toBe(0);
    expect(await deliveries.list('pending', '', 10)).toMatchObject([{ id, attempts: 0 }]);
    end(undefined);
    await ('result' in other && other.result);
    await send();

    expect(sent()).toEqual([id]);
  });

  it('requests leave two places of the core to other tasks', async () => {
    const executor = taskExecutor(undefined, undefined, { coreSize: 5 });
    for (let user = 0; user < 6; user += 1) await enqueue(`user-${user}`);
    const { sender } = replica({}, undefined, executor);
    const stop = new AbortController();
    receiver.answer = () => undefined;

    expect(await sender.send(stop.signal, () => undefined)).toBe(3);
    expect(await sender.send(stop.signal, () => undefined)).toBe(0);
    stop.abort();
    await sender.idle();
  });

  it('two replicas send each event once', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, (_, index) => enqueue(`user-${index % 20}`)));
    const replicas = [replica(), replica()];
    await Promise.all(replicas.map(({ send }) => send()));
    for (const { send } of replicas) await send();

    expect([...sent()].sort()).toEqual([...ids].sort());
  });

  it('an event that a killed replica was sending is sent again with the same id, after its lease', async () => {
    const id = await enqueue('anna');
    receiver.answer = () => undefined;
    const killed = replica();
    const end = new AbortController();
    await killed.sender.send(end.signal, () => undefined);
    await expect.poll(sent).toEqual([id]);
    receiver.answer = (_, response) => void response.writeHead(204).end();
    const { send } = replica();
    await send();
    expect(sent()).toEqual([id]);
    clock.advance(60);
    await send();

    expect(sent()).toEqual([id, id]);
    end.abort();
    await killed.sender.idle();
  });

  it('a failure that is recorded after another replica has delivered the event postpones no later event', async () => {
    const [first, second] = [await enqueue('anna'), await enqueue('anna')];
    let fail = (): void => undefined;
    receiver.answer = (_, response) => {
      fail = () => void response.writeHead(500).end();
    };
    const slow = replica({ timeout: Duration.ofSeconds(300) });
    await slow.sender.send(never, () => undefined);
    await expect.poll(sent).toEqual([first]);
    const failLate = fail;
    receiver.answer = (_, response) => void response.writeHead(204).end();
    // Beyond the lease: the slow replica was suspended.
    clock.advance(400);
    const { sender, send } = replica();
    await sender.send(never, () => undefined);
    await sender.idle();
    failLate();
    await slow.sender.idle();

    await send();

    expect(sent()).toEqual([first, first, second]);
  });

  it('a late rejection makes no dead letter of an event that another replica has delivered', async () => {
    await enqueue('anna');
    let reject = (): void => undefined;
    receiver.answer = (_, response) => {
      reject = () => void response.writeHead(410).end();
    };
    const slow = replica({ timeout: Duration.ofSeconds(300) });
    await slow.sender.send(never, () => undefined);
    await expect.poll(() => receiver.deliveries.length).toBe(1);
    const rejectLate = reject;
    receiver.answer = (_, response) => void response.writeHead(204).end();
    clock.advance(400);
    await replica().send();
    rejectLate();
    await slow.sender.idle();

    expect(slow.log.lines.map(({ message }) => message)).toEqual(['The webhook does not accept events']);
    expect(await slow.deliveries.counts()).toEqual({ pending: 0, dead: 0 });
  });

  it('events wait no longer after the clock was set back by a day', async () => {
    clock.advance(DAY);
    const first = await enqueue('anna');
    receiver.answer = () => undefined;
    const killed = replica();
    const end = new AbortController();
    await killed.sender.send(end.signal, () => undefined);
    await expect.poll(sent).toEqual([first]);
    clock.advance(-DAY);
    const second = await enqueue('anna');
    receiver.answer = (_, response) => void response.writeHead(204).end();

    await replica().send();

    expect(sent()).toEqual([first, first, second]);
    clock.advance(DAY);
    end.abort();
    await killed.sender.idle();
  });

  it('a shutdown aborts a request, whose event is due again', async () => {
    await enqueue('anna');
    receiver.answer = () => undefined;
    const { sender, deliveries } = replica();
    const stop = new AbortController();
    await sender.send(stop.signal, () => undefined);
    await expect.poll(() => receiver.deliveries.length).toBe(1);
    stop.abort();
    await sender.idle();

    expect(await deliveries.list('pending', '', 10)).toMatchObject([{ attempts: 1, next_at: clock.seconds() }]);
  });

  it('the log has the first failure in a row and the recovery', async () => {
    await enqueue('anna');
    await enqueue('bert');
    receiver.answer = (_, response) => void response.writeHead(503).end();
    const { send, log } = replica();
    await send();
    receiver.answer = (_, response) => void response.writeHead(204).end();
    clock.advance(5);
    await send();

    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['WARN', 'The webhook does not accept events'],
      ['INFO', 'The webhook accepts events again'],
    ]);
  });
});
