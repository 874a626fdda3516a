import { describe, expect, it } from 'vitest';
import { Cors, originIn } from './cors.js';

const PORTAL = 'https://portal.example';

describe('CORS headers of a response', () => {
  const cors = new Cors([PORTAL, 'http://other.example:8080']);

  it('let exactly the allowed origin read the response and its listed headers', () => {
    expect(cors.headersFor(PORTAL)).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': PORTAL,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers':
        'x-request-id, api-version, retry-after, www-authenticate, ratelimit, ratelimit-policy',
    });
  });

  it.each([
    undefined,
    '',
    'null',
    '*',
    'https://portal.example:443',
    'https://portal.example/',
    'HTTPS://portal.example',
    `${PORTAL}, ${PORTAL}`,
    `${PORTAL}.evil`,
    'constructor',
    '__proto__',
  ])('H9: allow nothing to the origin %j, and vary by Origin', (origin) => {
    expect(cors.headersFor(origin)).toEqual({ vary: 'Origin' });
  });
});

describe('the origin in a head that is too large', () => {
  const of = (head: string): string | undefined => originIn(Buffer.from(head, 'latin1'));

  it.each([
    [`GET / HTTP/1.1\r\nHost: x\r\nOrigin: ${PORTAL}\r\nX: `, PORTAL],
    [`GET / HTTP/1.1\r\norigin:${PORTAL} \r\n`, PORTAL],
    [`GET / HTTP/1.1\nORIGIN:\t${PORTAL}\nx`, PORTAL],
    ['GET / HTTP/1.1\r\nHost: x\r\n', undefined],
    [`GET / HTTP/1.1\r\nX-Origin: ${PORTAL}\r\n`, undefined],
    [`GET /?origin: ${PORTAL} HTTP/1.1\r\n`, undefined],
    ['GET / HTTP/1.1\r\nOrigin: a b\r\n', undefined],
    ['GET / HTTP/1.1\r\nOrigin:\r\nHost: x\r\n', undefined],
  ])('is found in %j: %s', (head, origin) => {
    expect(of(head)).toBe(origin);
  });

  it('H9: is undefined if there are two or no bytes', () => {
    expect(of(`GET / HTTP/1.1\r\nOrigin: https://evil.example\r\nOrigin: ${PORTAL}\r\n`)).toBeUndefined();
    expect(originIn(undefined)).toBeUndefined();
  });
});
