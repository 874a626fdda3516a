import { expect, it } from 'vitest';
import { EXCHANGE_PARTS, type ExchangeRecord, type ExchangePart, HttpExchanges } from './http-exchanges.js';

const FACTS: ExchangeRecord = {
  at: Date.UTC(2031, 4, 4, 10, 15, 30, 123),
  takenMillis: 21.4,
  method: 'POST',
  origin: 'http://login.internal',
  target: '/login',
  requestHeaders: { accept: 'application/json' },
  remoteAddress: '192.0.2.7',
  principal: 'subject-1',
  sessionId: 'session-1',
  status: 200,
  responseHeaders: { 'content-type': 'application/json' },
};

it('an exchange contains the configured parts only', () => {
  const exchanges = new HttpExchanges(new Set(['request-headers', 'response-headers', 'time-taken']));
  exchanges.record(FACTS);

  expect(exchanges.all).toEqual([
    {
      timestamp: '2031-05-04T10:15:30.123Z',
      request: { method: 'POST', uri: 'http://login.internal/login', headers: { accept: ['application/json'] } },
      response: { status: 200, headers: { 'content-type': ['application/json'] } },
      timeTaken: 'PT0.021S',
    },
  ]);
});

it('an exchange contains address, principal and session only if they are configured', () => {
  const exchanges = new HttpExchanges(new Set(['remote-address', 'principal', 'session-id']));
  exchanges.record(FACTS);

  expect(exchanges.all).toEqual([
    {
      timestamp: '2031-05-04T10:15:30.123Z',
      principal: { name: 'subject-1' },
      session: { id: 'session-1' },
      request: { method: 'POST', uri: 'http://login.internal/login', headers: {}, remoteAddress: '192.0.2.7' },
      response: { status: 200, headers: {} },
    },
  ]);
});

it.each(['x-forwarded-for', 'X-Real-IP', 'forwarded', 'cf-connecting-ip', 'true-client-ip'])(
  'the header %s is recorded only with the part remote-address',
  (name) => {
    const requestHeaders = { accept: '*/*', [name]: '192.0.2.7' };
    const recorded = (...parts: readonly ExchangePart[]): object | undefined => {
      const exchanges = new HttpExchanges(new Set(['request-headers', ...parts]));
      exchanges.record({ ...FACTS, requestHeaders });
      return exchanges.all[0]?.request.headers;
    };

    expect(recorded()).toEqual({ accept: ['*/*'] });
    expect(recorded('remote-address')).toEqual({ accept: ['*/*'], [name.toLowerCase()]: ['192.0.2.7'] });
  },
);

it('unknown parts are omitted', () => {
  const exchanges = new HttpExchanges(new Set(EXCHANGE_PARTS));
  exchanges.record({ ...FACTS, principal: undefined, sessionId: undefined, remoteAddress: undefined });

  expect(Object.keys(exchanges.all[0] ?? {})).toEqual(['timestamp', 'request', 'response', 'timeTaken']);
});

it('the last 100 exchanges are kept, newest first', () => {
  const exchanges = new HttpExchanges(new Set());
  for (let status = 1; status <= 150; status += 1) exchanges.record({ ...FACTS, status });

  expect(exchanges.all.map(({ response }) => response.status)).toEqual(
    Array.from({ length: 100 }, (_, index) => 150 - index),
  );
});

it('nothing is recorded if recording is off', () => {
  const exchanges = new HttpExchanges();
  exchanges.record(FACTS);

  expect(exchanges.isRecording).toBe(false);
  expect(exchanges.all).toEqual([]);
});
