import { afterEach, describe, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties, ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { waitUntil } from '../../support/runner/wait-until.js';

let service: EchoService;

afterEach(async () => {
  held.releaseAll();
  await service.stop();
});

/** Starts a service that processes `max` requests at once and queues `acceptCount` more. */
async function start(max: number, acceptCount: number): Promise<void> {
  const threads = Object.assign(new ThreadsProperties(), { max });
  const embedded = Object.assign(new EmbeddedProperties(), { acceptCount });
  service = await startEchoService({ threads, embedded });
}

/** A request that is in progress until the test releases it. */
async function hold(): Promise<RawConnection> {
  const before = held.count;
  const connection = await RawConnection.open(service.url);
  connection.get('/held');
  await waitUntil('the request is in progress', () => held.count > before, { everyMillis: 2 });
  return connection;
}

/** A request that waits in the queue. */
async function queue(path = '/held'): Promise<RawConnection> {
  const before = service.listener.inProgress;
  const connection = await RawConnection.open(service.url);
  connection.get(path);
  await waitUntil('the request is queued', () => service.listener.inProgress > before, { everyMillis: 2 });
  return connection;
}

const post = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

describe('server.embedded.threads.max and accept-count', () => {
  it('a request beyond max and accept-count gets 503 with Retry-After and its connection closes', async () => {
    await start(2, 1);
    const working = [await hold(), await hold()];
    const waiting = await queue();

    const refused = await sendRaw(service.url, 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n');

    expect(refused.statuses).toEqual([503]);
    expect(refused.text).toMatch(/^retry-after: 1\r$/im);
    expect(refused.text).toMatch(/^connection: close\r$/im);
    expect(refused.text).toContain('"code":"UNAVAILABLE"');
    expect(waiting.statuses).toEqual([]);
    held.release();
    await waitUntil('the queued request is in progress', () => held.count === 2);
    held.releaseAll();
    for (const connection of [...working, waiting]) {
      await connection.untilAnswered();
      expect(connection.statuses).toEqual([200]);
    }
  });

  it('queued requests are processed in their order of arrival', async () => {
    await start(1, 3);
    await hold();
    const waiting = [await queue('/items/1'), await queue('/items/2'), await queue('/items/3')];
    const order: number[] = [];
    const ends = waiting.map(async (connection, index) => {
      await connection.untilAnswered();
      order.push(index);
    });

    held.release();
    await Promise.all(ends);

    expect(order).toEqual([0, 1, 2]);
  });

  it('a client that disconnects while queued frees its place in the queue', async () => {
    await start(1, 1);
    await hold();
    const gone = await queue();
    expect((await sendRaw(service.url, 'GET /items/1 HTTP/1.1\r\nHost: x\r\n\r\n')).statuses).toEqual([503]);

    gone.leave();
    await waitUntil('the slot of the request is free', () => service.listener.inProgress === 1, { everyMillis: 2 });
    const next = await queue('/items/1');
    held.release();
    await next.untilAnswered();

    expect(next.statuses).toEqual([200]);
    expect(held.count).toBe(0);
  });

  it('queued pipelined requests of a client that disconnects free their places', async () => {
    await start(1, 2);
    await hold();
    const gone = await RawConnection.open(service.url);
    gone.get('/held');
    gone.get('/held');
    await waitUntil('both requests are queued', () => service.listener.inProgress === 3, { everyMillis: 2 });

    gone.leave();
    await waitUntil('both slots are free', () => service.listener.inProgress === 1, { everyMillis: 2 });
    const next = [await queue('/items/1'), await queue('/items/2')];
    held.release();

    for (const connection of next) await connection.untilAnswered();
    expect(held.count).toBe(0);
  });

  it('a request in progress keeps its slot until it ends, even if its client disconnects', async () => {
    await start(1, 0);
    const gone = await hold();
    gone.leave();
    await waitUntil('the client has disconnected', () => service.listener.inProgress === 0, { everyMillis: 2 });

    expect((await sendRaw(service.url, 'GET /items/1 HTTP/1.1\r\nHost: x\r\n\r\n')).statuses).toEqual([503]);
    held.release();
    await waitUntil('the slot is free', async () => {
      const { statuses } = await sendRaw(service.url, 'GET /items/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      return statuses[0] === 200;
    });
    expect(held.count).toBe(0);
  });

  it('a request whose body is incomplete occupies neither a slot nor a place in the queue', async () => {
    await start(1, 0);
    const slow = await RawConnection.open(service.url);
    slow.send(post('/note', '{"text":"a"}').slice(0, -5));
    await waitUntil('the head of the request has arrived', () => service.listener.inProgress === 1, { everyMillis: 2 });

    const { statuses } = await sendRaw(service.url, post('/note', '{"text":"b"}', 'Connection: close\r\n'));

    expect(statuses).toEqual([200]);
    slow.send(':"a"}');
    await slow.untilAnswered();
    expect(slow.statuses).toEqual([200]);
  });

  it('a rejected request occupies no slot while its client still sends the body', async () => {
    await start(1, 0);
    const refused = await RawConnection.open(service.url);
    refused.send('GET /refused/ACCESS_DENIED HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n');
    await waitUntil('the request has arrived', () => service.listener.inProgress === 1, { everyMillis: 2 });

    const { statuses } = await sendRaw(service.url, post('/note', '{"text":"b"}', 'Connection: close\r\n'));

    expect(statuses).toEqual([200]);
    refused.leave();
  });

  it('a client that does not read its responses occupies no slot', async () => {
    await start(1, 100);
    const greedy = await RawConnection.open(service.url);
    greedy.stopReading();
    const before = held.bigAnswers;
    for (let count = 0; count < 40; count += 1) greedy.get('/held/big');
    await waitUntil('responses have arrived', () => held.bigAnswers > before + 1);

    const { statuses } = await sendRaw(service.url, post('/note', '{"text":"b"}', 'Connection: close\r\n'));

    expect(statuses).toEqual([200]);
    greedy.leave();
  });

  it('a route exempt from admission is served while all slots are taken', async () => {
    await start(1, 0);
    await hold();

    const { statuses } = await sendRaw(service.url, 'GET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(statuses).toEqual([200]);
  });

  it('R8: a hundred clients that disconnect at every stage of a request leave no slot taken', async () => {
    await start(2, 2);
    const whole = post('/note', '{"text":"a"}');
    for (let length = 1; length <= 100; length += 1) {
      const connection = await RawConnection.open(service.url);
      connection.send(whole.slice(0, Math.ceil((whole.length * length) / 100)));
      connection.leave();
    }
    await waitUntil('all requests have ended', () => service.listener.inProgress === 0, { everyMillis: 2 });

    const held4 = [await hold(), await hold(), await queue(), await queue()];
    held.releaseAll();
    await waitUntil('the queued requests are in progress', () => held.count === 2);
    held.releaseAll();

    for (const connection of held4) {
      await connection.untilAnswered();
      expect(connection.statuses).toEqual([200]);
    }
  });

  it('Expect: 100-continue gets 100 from a free service and 503 before the body from a full one', async () => {
    await start(1, 0);
    const asked = await RawConnection.open(service.url);
    asked.send(
      'POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n',
    );
    await waitUntil('the service asks for the body', () => asked.statuses[0] === 100, { everyMillis: 2 });
    asked.send('{"text":"a"}');
    await asked.untilAnswered(2);
    expect(asked.statuses).toEqual([100, 200]);

    await hold();
    const refused = await RawConnection.open(service.url);
    refused.send(
      'POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n',
    );
    await refused.untilClosed();
    expect(refused.statuses).toEqual([503]);
  });
});

describe('server.embedded.target-response-time', () => {
  const login = (headers = ''): string => post('/held/password', '{}', headers);

  /** Starts a service whose workers hash `capacity` passwords within the target. */
  async function startWithCapacity(capacity: number, embedded = new EmbeddedProperties()): Promise<void> {
    service = await startEchoService({ threads: new ThreadsProperties(), embedded, hashCapacity: () => capacity });
  }

  /** Sends requests that hash a password, each on its own connection, until all are in progress or rejected. */
  async function burst(count: number): Promise<readonly RawConnection[]> {
    const connections = await Promise.all(Array.from({ length: count }, () => RawConnection.open(service.url)));
    for (const connection of connections) connection.send(login());
    await waitUntil(
      'all requests are in progress or rejected',
      () => held.count + answered(connections).length === count,
    );
    return connections;
  }

  const answered = (connections: readonly RawConnection[]): readonly RawConnection[] =>
    connections.filter(({ statuses }) => statuses.length > 0);

  it('R6: logins of a burst beyond the capacity get 503 with Retry-After, and the others are served', async () => {
    await startWithCapacity(4);

    const connections = await burst(10);

    const rejected = answered(connections);
    expect(rejected).toHaveLength(6);
    for (const { text, statuses } of rejected) {
      expect(statuses).toEqual([503]);
      expect(text).toMatch(/^retry-after: 1\r$/im);
      expect(text).toContain('"code":"UNAVAILABLE"');
    }
    held.releaseAll();
    for (const connection of connections.filter((one) => !rejected.includes(one))) {
      await connection.untilAnswered();
      expect(connection.statuses).toEqual([200]);
    }
  });

  it('the connection of a rejected login serves the next request', async () => {
    await startWithCapacity(1);
    const [rejected] = answered(await burst(2));

    rejected?.get('/plain');
    await rejected?.untilAnswered(2);

    expect(rejected?.statuses).toEqual([503, 200]);
  });

  it('an idle service accepts a burst of as many logins as its capacity', async () => {
    await startWithCapacity(50);

    expect(answered(await burst(50))).toEqual([]);
  });

  it('other requests are served while logins are rejected', async () => {
    await startWithCapacity(1);
    await burst(3);

    for (const path of ['/items/1', '/plain']) {
      const { statuses } = await sendRaw(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(statuses).toEqual([200]);
    }
  });

  it('a login beyond the capacity is rejected before its body is sent', async () => {
    await startWithCapacity(1);
    await burst(1);

    const connection = await RawConnection.open(service.url);
    connection.send(login('Expect: 100-continue\r\n').slice(0, -2));
    await connection.untilClosed();

    expect(connection.statuses).toEqual([503]);
  });

  it('a login is admitted again once an earlier one has ended', async () => {
    await startWithCapacity(1);
    const [first] = await burst(1);
    held.release();
    await first?.untilAnswered();

    expect(answered(await burst(1))).toEqual([]);
  });

  it('accept-count and threads.max limit logins below their capacity', async () => {
    const threads = Object.assign(new ThreadsProperties(), { max: 1 });
    const embedded = Object.assign(new EmbeddedProperties(), { acceptCount: 0 });
    service = await startEchoService({ threads, embedded, hashCapacity: () => 50 });

    expect(answered(await burst(3))).toHaveLength(2);
  });

  it('0 limits logins by threads.max and accept-count only', async () => {
    await startWithCapacity(1, Object.assign(new EmbeddedProperties(), { targetResponseTime: Duration.ofMillis(0) }));

    expect(answered(await burst(10))).toEqual([]);
  });
});
