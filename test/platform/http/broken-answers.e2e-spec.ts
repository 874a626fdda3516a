import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../../src/kernel/clock/clock.js';
import { ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { Listener } from '../../../src/platform/http/listener.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { LEAK } from '../../support/programs/leak.js';
import { sendRaw } from '../../support/http/raw-http.js';

const JSON_POST = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
const SECRET = 'SELECT secret FROM /etc/passwd';
const REQUEST_ID = 'request-of-mine';

/** A defect as a problem document, with the default headers of every response (http-api sections 1 and 9). */
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

describe('H1: response that cannot be built', () => {
  let service: EchoService;

  afterEach(() => service.stop());

  it.each(['/broken/body', '/broken/cookie', '/broken/error', '/broken/refusal'])(
    'H1: %s gets a minimal 500 response',
    async (path) => {
      service = await startEchoService();

      expect(await ask(service.url, path)).toMatchObject(BARE);
      expect(service.log.texts.join('\n')).toContain(`[${REQUEST_ID}]`);
    },
  );

  it('H1: HEAD of a response that cannot be built gets 500 without a body', async () => {
    service = await startEchoService();

    expect(await ask(service.url, '/broken/cookie', { method: 'HEAD' })).toMatchObject({
      status: 500,
      body: undefined,
    });
  });

  it('H1: an error whose stack trace cannot be read gets a minimal 500 response', async () => {
    service = await startEchoService({ errors: { includeMessage: 'always', includeStacktrace: 'always' } });

    expect(await ask(service.url, '/broken/error')).toMatchObject(BARE);
    expect(await ask(service.url, '/broken/error', JSON_POST)).toMatchObject(BARE);
  });

  it('H1: an error that cannot be logged gets a minimal 500 response', async () => {
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

  it('H1: a response that cannot be built frees its slot', async () => {
    service = await startEchoService({ threads: Object.assign(new ThreadsProperties(), { max: 1 }) });

    for (const path of ['/broken/cookie', '/broken/error', '/broken/refusal']) {
      expect(await ask(service.url, path)).toMatchObject(BARE);
    }

    expect(await ask(service.url, '/facts')).toMatchObject({ status: 200 });
    expect(service.listener.inProgress).toBe(0);
  });
});

describe('H1: failing onSend hook', () => {
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
    ['an unknown path', '/nowhere', 'GET'],
    ['a method without a route', '/fine', 'DELETE'],
    ['an undecodable path', '/%ff', 'GET'],
  ])('H1: %s gets a minimal 500 response if an onSend hook fails', async (_, path, method) => {
    expect(await ask(url, path, { method })).toMatchObject(BARE);
  });

  it('H1: a failing onSend hook causes one response and closes the connection', async () => {
    const { statuses, text } = await sendRaw(url, 'GET /fine HTTP/1.1\r\nHost: x\r\n\r\n');

    expect(statuses).toEqual([500]);
    expect(text).toMatch(/^connection: close\r$/im);
  });
});

it('H1: an unreadable clock closes the connection without a response, and later requests are served', async () => {
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

it('L4: a response that cannot be built shows no internals', () => {
  expect(seen.length).toBeGreaterThan(10);
  for (const answer of seen) {
    expect(answer).not.toMatch(LEAK);
    expect(answer).not.toMatch(/SELECT|passwd|statusCode|FST_|Internal Server Error|set-cookie/);
  }
});
