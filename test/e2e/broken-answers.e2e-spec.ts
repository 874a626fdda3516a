import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../src/clock/clock.js';
import { ThreadsProperties } from '../../src/http/admission/threads.properties.js';
import { Loggers } from '../../src/logging/loggers.js';
import { Listener } from '../../src/http/listener.js';
import { type EchoService, startEchoService } from '../support/echo-service.js';
import { LEAK } from '../support/leak.js';
import { sendRaw } from '../support/raw-http.js';

const JSON_POST = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
const SECRET = 'SELECT secret FROM /etc/passwd';
const REQUEST_ID = 'request-of-mine';

/** A defect in the shape of every refusal, with the headers of every answer (http-api sections 1 and 9). */
const BARE = {
  status: 500,
  headers: {
    'api-version': '1',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': 'application/problem+json',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': expect.any(String) as string,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-request-id': REQUEST_ID,
  },
  body: {
    type: 'urn:login:error:internal-error',
    title: expect.any(String) as string,
    status: 500,
    code: 'INTERNAL_ERROR',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    request_id: REQUEST_ID,
  },
};

const seen: string[] = [];

async function ask(url: string, path: string, { headers, ...init }: RequestInit = {}): Promise<object> {
  const sent = new Headers(headers);
  sent.set('x-request-id', REQUEST_ID);
  const answer = await fetch(url + path, { ...init, headers: sent });
  const text = await answer.text();
  const received = Object.fromEntries(answer.headers.entries());
  seen.push(JSON.stringify(received) + text);
  return { status: answer.status, headers: received, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

describe('H1 an answer that cannot be made is a bare defect', () => {
  let service: EchoService;

  afterEach(() => service.stop());

  it.each(['/broken/body', '/broken/cookie', '/broken/error', '/broken/refusal'])('%s', async (path) => {
    service = await startEchoService();

    expect(await ask(service.url, path)).toMatchObject(BARE);
    expect(service.complaints.join('\n')).toContain(`[${REQUEST_ID}]`);
  });

  it('also to HEAD, without a body', async () => {
    service = await startEchoService();

    expect(await ask(service.url, '/broken/cookie', { method: 'HEAD' })).toMatchObject({
      status: 500,
      body: undefined,
    });
  });

  it('where the trace that the operator wants cannot be had', async () => {
    service = await startEchoService({ errors: { includeMessage: 'always', includeStacktrace: 'always' } });

    expect(await ask(service.url, '/broken/error')).toMatchObject(BARE);
    expect(await ask(service.url, '/broken/error', JSON_POST)).toMatchObject(BARE);
  });

  it('where nobody can be told of it', async () => {
    service = await startEchoService({
      loggers: new Loggers([
        {
          append: () => {
            throw new TypeError(SECRET);
          },
        },
      ]),
    });

    for (const path of ['/defect', '/no-error', '/broken/error', '/broken/cookie']) {
      expect(await ask(service.url, path), path).toMatchObject(BARE);
    }
  });

  it('and gives its slot up', async () => {
    service = await startEchoService({ threads: Object.assign(new ThreadsProperties(), { max: 1 }) });

    for (const path of ['/broken/cookie', '/broken/error', '/broken/refusal']) {
      expect(await ask(service.url, path)).toMatchObject(BARE);
    }

    expect(await ask(service.url, '/facts')).toMatchObject({ status: 200 });
    expect(service.listener.inProgress).toBe(0);
  });
});

describe('H1 where a hook fails whatever is sent', () => {
  let listener: Listener;
  let url: string;

  beforeEach(async () => {
    listener = new Listener();
    listener.adapter.getInstance().addHook('onSend', (_request, _reply, _payload, done) => {
      done(new TypeError(SECRET));
    });
    listener.routes.add('GET', '/fine', () => ({ status: 200, body: {} }));
    const port = await listener.open({ port: 0, address: '127.0.0.1', key: '', addressKey: '' });
    url = `http://127.0.0.1:${port}`;
  });

  afterEach(() => listener.close(0));

  it.each([
    ['a known path', '/fine', 'GET'],
    ['a path nobody knows', '/nowhere', 'GET'],
    ['a method nobody takes', '/fine', 'DELETE'],
    ['a path that is none', '/%ff', 'GET'],
  ])('%s is answered by a bare defect', async (_, path, method) => {
    expect(await ask(url, path, { method })).toMatchObject(BARE);
  });

  it('one answer goes out, and the connection ends', async () => {
    const { statuses, text } = await sendRaw(url, 'GET /fine HTTP/1.1\r\nHost: x\r\n\r\n');

    expect(statuses).toEqual([500]);
    expect(text).toMatch(/^connection: close\r$/im);
  });
});

it('H1 where not even the time can be told, a connection is closed without a word, and others are served', async () => {
  class NoClock extends Clock {
    millis(): never {
      throw new TypeError(SECRET);
    }
  }
  const service = await startEchoService({ clock: new NoClock() });

  for (const bytes of ['GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', 'nonsense\r\n\r\n']) {
    expect((await sendRaw(service.url, bytes)).text).toBe('');
  }

  expect(await ask(service.url, '/plain')).toMatchObject({ status: 200 });
  await service.stop();
});

it('L4 nothing in all these answers shows the inside', () => {
  expect(seen.length).toBeGreaterThan(10);
  for (const answer of seen) {
    expect(answer).not.toMatch(LEAK);
    expect(answer).not.toMatch(/SELECT|passwd|statusCode|FST_|Internal Server Error|set-cookie/);
  }
});
