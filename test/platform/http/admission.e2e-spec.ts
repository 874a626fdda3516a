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
  // Requests that wait begin when others end.
  await waitUntil('no request is in progress', () => {
    held.releaseAll();
    return held.count === 0 && service.listener.inProgress === 0;
  });
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

describe('the queue of requests that hash a password', () => {
  const login = (headers = ''): string => post('/held/password', '{}', headers);
  const KNOWN = 'Cookie: device=known\r\n';

  /** Starts a service with one worker that takes 60 ms for a hash, so that two requests are in progress. */
  async function startWithQueue(keys: Partial<EmbeddedProperties>, threads = new ThreadsProperties()): Promise<void> {
    service = await startEchoService({
      threads,
      embedded: Object.assign(new EmbeddedProperties(), keys),
      passwords: {
        pace: () => ({ workers: 1, millis: 60 }),
        ownerOfDevice: ({ cookie }) => (cookie === 'device=known' ? 'owner' : undefined),
      },
    });
  }

  /** Sends requests, each on its own connection, until all are in progress, waiting or rejected. */
  async function burst(count: number, headers = ''): Promise<readonly RawConnection[]> {
    const before = service.listener.inProgress;
    const connections = await Promise.all(Array.from({ length: count }, () => RawConnection.open(service.url)));
    for (const connection of connections) connection.send(login(headers));
    await waitUntil(
      'all requests have arrived',
      () => service.listener.inProgress - before + answered(connections).length === count,
      { everyMillis: 2 },
    );
    return connections;
  }

  async function untilAnswered(connections: readonly RawConnection[]): Promise<void> {
    for (const connection of connections) await connection.untilAnswered();
  }

  const answered = (connections: readonly RawConnection[]): readonly RawConnection[] =>
    connections.filter(({ statuses }) => statuses.length > 0);

  /** Completes the requests in progress until none is left. */
  async function serve(connections: readonly RawConnection[]): Promise<void> {
    await waitUntil('all requests are served', () => {
      held.releaseAll();
      return answered(connections).length === connections.length;
    });
  }

  it('R6: a burst waits in the queue, and only what exceeds accept-count gets 503 with Retry-After', async () => {
    await startWithQueue({ acceptCount: 6 });

    const connections = await burst(10);
    await waitUntil('the rejected requests are answered', () => answered(connections).length === 3);

    // One hash in progress and six requests that wait for it.
    expect(held.count).toBe(2);
    const rejected = answered(connections);
    for (const { text, statuses } of rejected) {
      expect(statuses).toEqual([503]);
      expect(text).toMatch(/^retry-after: 1\r$/im);
      expect(text).toContain('"code":"UNAVAILABLE"');
    }
    const others = connections.filter((one) => !rejected.includes(one));
    await serve(others);
    expect(others.map(({ statuses }) => statuses)).toEqual(others.map(() => [200]));
  });

  it('a request whose expected wait is longer than max-wait gets 503', async () => {
    await startWithQueue({ maxWait: Duration.ofMillis(200) });

    const connections = await burst(10);
    // Two in progress and two that wait: the next one would wait for 240 ms.
    await waitUntil('the rejected requests are answered', () => answered(connections).length === 6);

    const statuses = answered(connections).map((connection) => connection.statuses);
    expect(new Set(statuses.flat())).toEqual(new Set([503]));
  });

  it('the connection of a rejected request serves the next one', async () => {
    await startWithQueue({ acceptCount: 0 });
    const connections = await burst(3);
    await waitUntil('the rejected request is answered', () => answered(connections).length === 1);
    const [rejected] = answered(connections);

    rejected?.get('/plain');
    await rejected?.untilAnswered(2);

    expect(rejected?.statuses).toEqual([503, 200]);
  });

  it('other requests are served while sign-ins wait and are rejected', async () => {
    await startWithQueue({ acceptCount: 1 });
    await burst(5);

    for (const path of ['/items/1', '/plain']) {
      const { statuses } = await sendRaw(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(statuses).toEqual([200]);
    }
  });

  it('a rejected request is rejected before its body is sent', async () => {
    await startWithQueue({ acceptCount: 0 });
    await burst(2);

    const connection = await RawConnection.open(service.url);
    connection.send(login('Expect: 100-continue\r\n').slice(0, -2));
    await connection.untilClosed();

    expect(connection.statuses).toEqual([503]);
  });

  it('a request that is rejected before its body has arrived is answered, and its connection closes', async () => {
    await startWithQueue({ acceptCount: 0 });
    await burst(2);

    const connection = await RawConnection.open(service.url);
    connection.send(post('/held/password', 'x'.repeat(100_000)).slice(0, -1));
    await connection.untilClosed();

    expect(connection.statuses).toEqual([503]);
    expect(connection.text).toMatch(/^connection: close\r$/im);
  });

  it('a waiting request whose client disconnects is never begun', async () => {
    await startWithQueue({});
    const working = await burst(2);
    const [gone] = await burst(1);

    gone?.leave();
    await waitUntil('the place is free', () => service.listener.inProgress === 2, { everyMillis: 2 });
    await serve(working);

    expect(held.count).toBe(0);
  });

  it('a request of a known device goes before requests that have waited longer', async () => {
    await startWithQueue({});
    const working = await burst(2);
    const [stranger] = await burst(1);
    const [owner] = await burst(1, KNOWN);

    held.release();
    await untilAnswered(working.slice(0, 1));
    await waitUntil('the next request is in progress', () => held.count === 2);
    held.releaseAll();
    await owner?.untilAnswered();

    expect(stranger?.statuses).toEqual([]);
  });

  it('a request of a known device takes the place of the newest other request in a full queue', async () => {
    await startWithQueue({ acceptCount: 3 });
    await burst(2);
    const [first] = await burst(1);
    const [second] = await burst(1);

    const [owner] = await burst(1, KNOWN);
    await second?.untilAnswered();

    expect(second?.statuses).toEqual([503]);
    await waitUntil('the others are served', () => {
      held.releaseAll();
      return owner?.statuses.length === 1 && first?.statuses.length === 1;
    });
    expect([owner?.statuses, first?.statuses]).toEqual([[200], [200]]);
  });

  it('Retry-After is the expected wait', async () => {
    await startWithQueue({ acceptCount: 30 });

    const connections = await burst(40);
    await waitUntil('the rejected requests are answered', () => answered(connections).length === 9);

    // 31 requests of 60 ms.
    for (const { text } of answered(connections)) expect(text).toMatch(/^retry-after: 2\r$/im);
  });

  it('a shutdown answers rejected requests at once', async () => {
    await startWithQueue({ acceptCount: 0 });
    const connections = await burst(4);

    service.listener.drain();

    await waitUntil('the rejected requests are answered', () => answered(connections).length === 2);
    for (const { text } of answered(connections)) expect(text).toMatch(/^connection: close\r$/im);
  });

  it('threads.max limits sign-ins as well', async () => {
    await startWithQueue({ acceptCount: 0 }, Object.assign(new ThreadsProperties(), { max: 1 }));

    const connections = await burst(2);
    await waitUntil('one request is rejected', () => answered(connections).length === 1);

    expect(held.count).toBe(1);
  });
});
