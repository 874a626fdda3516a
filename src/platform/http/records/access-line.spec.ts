import { afterEach, describe, expect, it, vi } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { ConversionProblem } from '../../../config/problem.js';
import { type AccessRecord, lineWriter } from './access-line.js';
import { accessPattern } from './access-pattern.js';

const FACTS: AccessRecord = {
  address: '::ffff:192.0.2.7',
  localAddress: '192.0.2.1',
  localPort: 8080,
  subject: '0197b0c2-0000-7000-8000-000000000001',
  request: { method: 'GET', target: '/me', protocol: 'HTTP/1.1' },
  referer: 'https://portal.example/start',
  userAgent: 'Browser/1.0 (X11; "Linux")',
  requestId: 'request-77',
  status: 200,
  bytes: 123,
  startedAt: Date.UTC(2026, 10, 21, 9, 0, 0),
  endedAt: Date.UTC(2026, 10, 21, 9, 0, 1, 250),
};

function lineOf(pattern: string, facts: Partial<AccessRecord> = {}): string {
  const parsed = accessPattern.parse(pattern);
  if (parsed instanceof ConversionProblem) throw new TypeError(parsed.reason);
  return lineWriter(parsed)({ ...FACTS, ...facts });
}

function pathOf(target: string): string {
  return lineOf('%U', { request: { method: 'GET', target, protocol: 'HTTP/1.1' } });
}

/** Common Log Format as log readers split it. */
const COMMON =
  /^(\S+) - (\S+) \[(\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4})\] "(-|[^\s"]+ [^\s"]+ [^\s"]+)" (\d{3}) (\d+|-)$/;

it('the pattern common writes Common Log Format', () => {
  const [, ...fields] = COMMON.exec(lineOf('common')) ?? [];

  expect(fields).toMatchObject(['192.0.2.7', FACTS.subject, /./, 'GET /me HTTP/1.1', '200', '123'].map(matching));
});

it('the pattern combined adds referrer and user agent to Common Log Format', () => {
  expect(lineOf('combined').slice(lineOf('common').length)).toBe(
    String.raw` "https://portal.example/start" "Browser/1.0 (X11; \x22Linux\x22)"`,
  );
});

it.each([
  ['%a', '192.0.2.7'],
  ['%A:%p', '192.0.2.1:8080'],
  ['%m %U %H', 'GET /me HTTP/1.1'],
  ['%b %B', '123 123'],
  ['%D %T', '1250 1.250'],
  ['%l %I', '- main'],
  ['%{X-Request-Id}o', 'request-77'],
  ['100%% of "%s"', '100% of "200"'],
])('the pattern %s writes %s', (pattern, expected) => {
  expect(lineOf(pattern)).toBe(expected);
});

it('missing values are written as -, or as 0 for %B', () => {
  const none: Partial<AccessRecord> = {
    address: undefined,
    localAddress: undefined,
    localPort: undefined,
    subject: undefined,
    request: undefined,
    referer: undefined,
    userAgent: '',
    requestId: undefined,
    bytes: undefined,
  };

  expect(lineOf('%h %A %p %u "%r" %m %U %H %b %B "%{Referer}i" "%{User-Agent}i" %{X-Request-Id}o', none)).toBe(
    '- - - - "-" - - - - 0 "-" "-" -',
  );
  expect(lineOf('%b', { bytes: 0 })).toBe('-');
});

it('the duration is 0 if the clock was set back', () => {
  expect(lineOf('%D', { endedAt: FACTS.startedAt - 5000 })).toBe('0');
});

describe('the time of a line', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ['UTC', '[21/Nov/2026:09:00:01 +0000]'],
    ['Europe/Berlin', '[21/Nov/2026:10:00:01 +0100]'],
    ['America/St_Johns', '[21/Nov/2026:05:30:01 -0330]'],
    ['Asia/Kathmandu', '[21/Nov/2026:14:45:01 +0545]'],
  ])('is in the time zone of the process, such as %s', (zone, expected) => {
    vi.stubEnv('TZ', zone);

    // Another second than that of the case before.
    expect(lineOf('%t', { endedAt: FACTS.endedAt + 60_000 })).not.toBe(expected);
    expect(lineOf('%t')).toBe(expected);
  });
});

describe('L1: a logged path', () => {
  const jwt = 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const opaque = 'q3zv9x2W-4u1sR_p7Kc0aYtB5mEoHdLgNfJiVwXkZ8Q';

  it.each([
    ['a query', '/me?access_token=hidden', '/me'],
    ['a fragment', '/me#hidden', '/me'],
    ['an encoded question mark', '/me%3Faccess_token=hidden', '/me'],
    ['a question mark encoded twice', '/me%253faccess_token=hidden', '/me'],
    ['a parameter of a segment', '/me;jsessionid=hidden/devices', '/me;.../devices'],
    ['an encoded parameter of a segment', '/me%3Bjsessionid=hidden', '/me;...'],
    ['user and password of a URL', 'http://user:hidden@host/me', '/me'],
    ['a JWS', `/sessions/${jwt}/x`, '/sessions/eyJhbG.../x'],
    ['a short JWS', '/a/eyJhIjox.eyJiIjoy.hid', '/a/eyJhIj...'],
    ['an opaque token', `/reset/${opaque}`, '/reset/q3zv9x...'],
    ['a secret in Base32', '/2fa/JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', '/2fa/JBSWY3...'],
    ['a secret in Base32 without a digit', '/2fa/JBSWYDPEHPKPXPJBSWYDPEHPKPXPJBSW', '/2fa/JBSWYD...'],
    ['a hexadecimal secret', `/x/${'0123456789abcdef'.repeat(2)}`, '/x/012345...'],
  ])('does not contain %s', (_, target, expected) => {
    expect(pathOf(target)).toBe(expected);
  });

  it.each([
    '/sessions/0197b0c2-8d4e-7abc-8def-0123456789ab',
    '/.well-known/oauth-authorization-server',
    '/2fa/setup/qr.png',
    '/saml/corporate-idp-eu-west-1/metadata',
    '/saml/corporate_identity_provider_west',
    '*',
  ])('is unchanged if it contains no secret: %s', (path) => {
    expect(pathOf(path)).toBe(path);
  });

  it('has at most 1,024 characters and does not end with a part of a token', () => {
    const deep = '/abcdefg'.repeat(1000);
    const late = `/${'a'.repeat(2020)}/${opaque}`;

    expect(pathOf(deep)).toBe(`${deep.slice(0, 1024)}...`);
    expect(pathOf(late)).toBe('/aaaaaa.../...');
  });

  it('is masked in the referrer, too', () => {
    const referer = `https://user:hidden@portal.example/reset/${opaque}?token=hidden#hidden`;

    expect(lineOf('%{Referer}i', { referer })).toBe('https://portal.example/reset/q3zv9x...');
  });
});

describe('L2: an access log line', () => {
  it.each([
    ['CR and LF', 'a\r\nb', String.raw`a\x0D\x0Ab`],
    ['ESC', 'a\u{1b}[2Jb', String.raw`a\x1B[2Jb`],
    ['NUL', 'a\0b', String.raw`a\x00b`],
    ['bytes above ASCII', 'a\u{85}\u{e2}\u{80}\u{a8}', String.raw`a\x85\xE2\x80\xA8`],
    ['line separators', 'a\u{2028}\u{2029}b', String.raw`a\u{2028}\u{2029}b`],
    ['a quotation mark', 'a" 200 1 "b', String.raw`a\x22 200 1 \x22b`],
    ['a backslash', String.raw`a\x0Ab`, String.raw`a\x5Cx0Ab`],
  ])('escapes a user agent with %s', (_, userAgent, expected) => {
    expect(lineOf('"%{User-Agent}i"', { userAgent })).toBe(`"${expected}"`);
  });

  it('escapes spaces in a value that the pattern does not quote', () => {
    expect(lineOf('%{User-Agent}i %s', { userAgent: 'a b' })).toBe(String.raw`a\x20b 200`);
  });

  it('shortens long values to 512 characters', () => {
    expect(lineOf('%{User-Agent}i', { userAgent: 'x'.repeat(16_000) })).toBe(`${'x'.repeat(512)}...`);
  });

  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(...Array.from('\r\n\t \0\u{1b}\u{7f}\u{85}\u{a0}\u{2028}\u{202e}"\\%?;/#[]-a1')),
    }),
  );
  const maybe = fc.option(anything, { nil: undefined });
  const facts = fc.record({
    address: maybe,
    localAddress: maybe,
    localPort: fc.option(fc.nat(65535), { nil: undefined }),
    subject: maybe,
    request: fc.option(fc.record({ method: anything, target: anything, protocol: anything }), { nil: undefined }),
    referer: maybe,
    userAgent: maybe,
    requestId: maybe,
    status: fc.integer({ min: 100, max: 599 }),
    bytes: fc.option(fc.nat(), { nil: undefined }),
    startedAt: fc.nat(),
    endedAt: fc.nat(4_000_000_000_000),
  });

  it('is one line of printable ASCII with all placeholders of its pattern for every request', () => {
    const placeholders = (accessPattern.expects.match(/%\S+/g) ?? []).filter((each) => each !== '%t' && each !== '%r');
    const each = lineWriterOf(placeholders.join(' '));
    const combined = lineWriterOf('combined');

    fc.assert(
      fc.property(facts, (drawn) => {
        expect(each(drawn)).toMatch(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/);
        expect(each(drawn).split(' ')).toHaveLength(placeholders.length);
        expect(combined(drawn)).toMatch(/^\S+ - \S+ \[[^\]]+\] "[^"]*" \d{3} (?:\d+|-) "[^"]*" "[^"]*"$/);
        expect(combined(drawn)).toMatch(/^[\x20-\x7e]+$/);
      }),
    );
  });

  it('L1: never contains the query or the fragment of a URL', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom('?', '#', '%3F', '%3f', '%23', '%253F'), (rest, mark) => {
        expect(pathOf(`/me${mark}${rest}`)).toBe('/me');
        expect(lineOf('%{Referer}i', { referer: `https://portal.example/a${mark}${rest}` })).toBe(
          'https://portal.example/a',
        );
      }),
    );
  });
});

function lineWriterOf(pattern: string): (facts: AccessRecord) => string {
  const parsed = accessPattern.parse(pattern);
  if (parsed instanceof ConversionProblem) throw new TypeError(parsed.reason);
  return lineWriter(parsed);
}

function matching(expected: string | RegExp | undefined): unknown {
  return expected instanceof RegExp ? expect.stringMatching(expected) : expected;
}
