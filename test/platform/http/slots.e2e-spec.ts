import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties, ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { Administrator, OTHERS } from '../../support/login/administrator.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { reading } from '../../support/management/meter-readings.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MAX = 2;
const THREADS = Object.assign(new ThreadsProperties(), { max: MAX });

/** A path of the echo service for each kind of response. */
const RESPONSES = {
  'a JSON object': '/items/1',
  text: '/words',
  'an empty body': '/nobody',
  'a rejection': '/refused/ACCESS_DENIED',
  'a defect': '/broken/error',
  'a response that cannot be built': '/broken/cookie',
  'no route': '/no/such/path',
  'a stream': '/streamed',
  'a stream that fails': '/streamed/failing',
};
/** Responses that wait until the test releases them. */
const WAITING = {
  'a JSON object': '/held',
  'a stream that has begun': '/streamed/held',
  'a late stream': '/streamed/late',
};

describe('the slots of server.embedded.threads.max', () => {
  let service: EchoService;
  let meters: Meters;

  afterEach(async () => {
    held.releaseAll();
    await service.stop();
  });

  async function start(embedded = Object.assign(new EmbeddedProperties(), { acceptCount: 0 })): Promise<void> {
    meters = new Meters();
    service = await startEchoService({ threads: THREADS, embedded, meters });
  }

  async function untilFree(): Promise<void> {
    await waitUntil('no request is in progress', () => service.listener.inProgress === 0, { everyMillis: 2 });
    await waitUntil('every slot is free', () => reading(meters, 'embedded.threads.busy') === 0, { everyMillis: 2 });
  }

  describe.each(Object.entries(RESPONSES))('%s', (_kind, path) => {
    it.each(['GET', 'HEAD'])(
      'X1: more complete responses to %s than there are slots leave every slot free',
      async (method) => {
        await start();
        for (let count = 0; count <= MAX; count += 1) {
          const connection = await RawConnection.open(service.url);
          connection.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
          await connection.untilClosed();
          expect(connection.statuses).not.toContain(503);
          expect(connection.statuses).toHaveLength(1);
        }
        await untilFree();
      },
    );
  });

  it.each(Object.entries(WAITING))(
    'X1: more clients that disconnect from %s than there are slots leave every slot free',
    async (_kind, path) => {
      await start();
      for (let count = 0; count <= MAX; count += 1) {
        const connection = await RawConnection.open(service.url);
        connection.get(path);
        await waitUntil('the request is in progress', () => held.count > 0, { everyMillis: 2 });
        connection.leave();
        await waitUntil('the request has ended', () => service.listener.inProgress === 0, { everyMillis: 2 });
        held.releaseAll();
        await untilFree();
      }

      expect(reading(meters, 'embedded.threads.busy')).toBe(0);
    },
  );

  it('X1: a stream keeps its slot until it ends', async () => {
    await start();
    const connection = await RawConnection.open(service.url);
    connection.get('/streamed/held');
    await waitUntil('the stream has begun', () => held.count === 1, { everyMillis: 2 });
    expect(reading(meters, 'embedded.threads.busy')).toBe(1);

    held.release();

    await untilFree();
    expect(connection.text).toContain('the last part');
  });

  it('X1: a stream is not read for a response to HEAD', async () => {
    await start();
    const connection = await RawConnection.open(service.url);
    connection.send('HEAD /streamed/held HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

    await connection.untilClosed();

    expect(connection.statuses).toEqual([200]);
    expect(connection.text).not.toContain('part');
    expect(held.count).toBe(0);
  });

  it('X1: a listener whose slots are all taken and that completes nothing stops serving until one is free', async () => {
    const connectionTimeout = Duration.ofMillis(100);
    await start(Object.assign(new EmbeddedProperties(), { acceptCount: 0, connectionTimeout }));
    expect(service.listener.isServing).toBe(true);
    for (let count = 1; count <= MAX; count += 1) {
      (await RawConnection.open(service.url)).get('/held');
      await waitUntil('the request is in progress', () => held.count === count, { everyMillis: 2 });
    }

    await waitUntil('the listener is stuck', () => !service.listener.isServing, { everyMillis: 2 });
    held.release();

    await waitUntil('the listener serves again', () => service.listener.isServing, { everyMillis: 2 });
  });
});

onAnyEngine('exports', (engine) => {
  const story = storyOn(engine, {
    people: 2,
    others: OTHERS,
    args: [`--server.embedded.threads.max=${MAX}`, '--server.embedded.accept-count=0'],
  });
  let admin: Administrator;
  let person: Person;
  let user: string;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    person = story.person();
    user = await story.subjectOf(person);
  });

  it.each([
    ['events as CSV', () => '/events/export?format=csv'],
    ['events as JSON lines', () => '/events/export?format=jsonl'],
    ['the data of a user', () => `/users/${user}/export`],
  ])('X1: more exports of %s than there are slots do not stop the sign-in', async (_kind, pathOf) => {
    for (let count = 0; count <= MAX; count += 1) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await admin.send(method, pathOf());
        expect(answer.status, `${method} ${count}`).toBe(200);
      }
      const aborted = await RawConnection.open(story.service.url);
      aborted.get(`/admin${pathOf()}`, `Authorization: Bearer ${admin.person.accessToken}\r\n`);
      await aborted.untilAnswered();
      aborted.leave();
    }

    const signedIn = await story.client().post('/login', { id: person.id, pw: person.password });
    expect(signedIn.status).toBe(200);
  });
});
