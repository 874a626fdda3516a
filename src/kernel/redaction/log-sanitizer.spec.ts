import { describe, expect, it } from 'vitest';
import {
  LONGER_WORDS,
  PLAIN_NAMES,
  SECRET_NAMES,
  SHORT_SECRET_NAMES,
} from '../../../test/support/login/secret-names.js';
import { MASK } from './secrets.js';
import { sanitizeText, sanitizeField } from './log-sanitizer.js';

const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.MEUCIQDxyz-_abc';
const REFRESH = 'q8Zt1vY0sJm2bN4cX6dF8gH0kL2pO4iU6yT8rE0wQ1A';
const UUID = '018f6b2e-7c1a-7d3e-9f00-123456789abc';
const PEM = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGl\nx+/==\n-----END EC PRIVATE KEY-----';

describe('L1: a log line', () => {
  it.each([
    ['a token of three parts', `verified ${JWT} at last`, `verified ${MASK} at last`],
    ['an encrypted token of five parts', 'eyJhbGciOiJSU0EifQ.aa.bb.cc.dd', MASK],
    ['a bearer token', 'Authorization was Bearer abcDEF123', `Authorization was Bearer ${MASK}`],
    ['basic credentials', 'sent Basic YW5uYTpwdw==', `sent Basic ${MASK}`],
    ['a header', 'authorization: Digest a="b", c=d', `authorization: ${MASK}`],
    ['a cookie', 'cookie: SESSION=abc; device=def', `cookie: ${MASK}`],
    ['cookies of an answer', "'set-cookie': [ 'a=b', 'c=d' ], x: 1", `'set-cookie': ${MASK}, x: 1`],
    ['the cookie of the portal', 'got SESSION=abcd; and more', `got SESSION=${MASK}; and more`],
    ['the user of a URL', 'at redis://anna:hunter2@db:6379/0', `at redis://${MASK}@db:6379/0`],
    ['a password with a slash in a URL', 'at mysql://root:hun/ter2@db:3306/x', `at mysql://${MASK}@db:3306/x`],
    ['a parameter of a URL', 'GET /x?token=abc&page=2', `GET /x?token=${MASK}&page=2`],
    ['what an authenticator app scans', 'otpauth://totp/L:anna?secret=JBSWY3DP ok', `otpauth://${MASK} ok`],
    ['a private key', `key ${PEM} end`, `key ${MASK} end`],
    ['the beginning of a private key', '-----BEGIN PRIVATE KEY-----\nMHcCAQ', MASK],
    ['a password in JSON', '{"id":"anna","pw":"hun\\"ter2"}', `{"id":"anna","pw":${MASK}}`],
    ['a password of an object', "{ password: 'hunter2' }", `{ password: ${MASK} }`],
    ['a setting', 'DB_PASSWORD=hunter2, port=1', `DB_PASSWORD=${MASK}, port=1`],
    ['a password in JSON that is a text of JSON', '"{\\"pw\\":\\"hunter2\\"}"', `"{\\"pw\\":${MASK}}"`],
    ['passwords of a list', '{"passwords":["hunter2","x"],"n":1}', `{"passwords":${MASK},"n":1}`],
    ['a password of a list', 'user[password]=hunter2&password[]=x', `user[password]=${MASK}&password[]=${MASK}`],
    ['what stands below a password', '{"password":{"value":"hunter2"}}', `{"password":${MASK}}`],
    ['a password far behind its name', 'password     :     hunter2', `password     :     ${MASK}`],
    ['an encoded parameter', 'to=%2Fx%3Faccess_token%3Dabc&page=2', `to=%2Fx%3Faccess_token%3D${MASK}&page=2`],
    ['a password with an @ in a URL', 'at mysql://root:hun@ter2@db:3306/x', `at mysql://${MASK}@db:3306/x`],
    ['a key of a service', 'apiKey: abc, x-api-key=def', `apiKey: ${MASK}, x-api-key=${MASK}`],
    ['a code', 'code=123456 code: "ABCD-EF12"', `code=${MASK} code: "${MASK}"`],
    ['a code of whatever name', 'totp_code=123456, "otp":"123456"', `totp_code=${MASK}, "otp":"${MASK}"`],
    ['a hash', 'stored $argon2id$v=19$m=1,t=1$abc$def', `stored ${MASK}`],
    ['a backup code', 'used 7KQX-22ZM twice', `used ${MASK} twice`],
    ['a secret of an authenticator app', 'x JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP y', `x ${MASK} y`],
    ['a refresh token', `rotated ${REFRESH}`, `rotated ${MASK}`],
    ['a UUID that is the value of a secret', `token=${UUID} ok`, `token=${MASK} ok`],
    ['a longer word that begins with a UUID', `x ${UUID}Zz y`, `x ${MASK} y`],
    ['a random word with the form of a UUID', 'x 018F6b2e-7c1a-7d3e-9f00-123456789abc y', `x ${MASK} y`],
    ['a backup code beside a UUID', `${UUID} 7KQX-22ZM`, `${UUID} ${MASK}`],
    ['a key in hexadecimal', `k ${'0f'.repeat(32)}`, `k ${MASK}`],
    ['a key in Base64', `k ${Buffer.alloc(32, 0xfb).toString('base64')}`, `k ${MASK}`],
  ])('masks %s by its form', (_name, text, expected) => {
    expect(sanitizeText(text)).toBe(expected);
  });

  it.each([
    'Login service is ready: http://localhost:8080/login/',
    'GET /me/settlement 200 3 ms',
    'a token of ours, Basic account or bearer token',
    'INVALID_TOKEN: not an access token of ours',
    'connect ECONNREFUSED 127.0.0.1:3306 { code: ECONNREFUSED }',
    'jdbc:mariadb://db:3306/login?useSSL=true',
    'at run (/srv/login/node_modules/typeorm/driver/mysql/MysqlDriver.js:12:34)',
    'request q8Zt1vY0sJm2bN4cX6dF8g of 018f6b2e-7c1a-7d3e-9f00-123456789abc on 2026-1234',
    'Set server.port to a whole number; Configuration rule 7: key server.port',
  ])('leaves "%s" unchanged', (text) => {
    expect(sanitizeText(text)).toBe(text);
  });

  it.each([
    ['colons', 'http://a:'],
    ['question marks', '?'],
    ['names', 'password'],
    ['beginnings of keys', '-----BEGIN PRIVATE KEY'],
    ['beginnings of tokens', 'eyJ'],
    ['dashes', 'Aa1-'],
    ['quotes', 'pw="\\'],
    ['brackets', 'pw=['],
    ['escapes', 'pw\\'],
    ['blanks', 'pw    '],
    ['signs of addresses', 'a://an@address@'],
    ['names of variables', '_AUTH_A'],
  ])('is masked in linear time for a long text of %s', (_name, piece) => {
    const looked = sanitizeText(piece.repeat(16_000 / piece.length));

    expect(looked.length).toBeLessThanOrEqual(16_000 + MASK.length);
  });
});

describe('L1: a log field or text named like a secret', () => {
  it.each(SECRET_NAMES)('masks the value of %s', (name) => {
    expect(sanitizeField(name, 'x7')).toBe(MASK);
    expect(sanitizeField('sent', { [name]: 'x7' })).toEqual({ [name]: MASK });
    expect(sanitizeText(`with ${name}=x7, then`)).toBe(`with ${name}=${MASK}, then`);
    expect(sanitizeText(`{"${name}":"x7","a":1}`)).toBe(`{"${name}":${MASK},"a":1}`);
  });

  it.each(PLAIN_NAMES)('leaves the value of %s unchanged', (name) => {
    expect(sanitizeField(name, 'x7')).toBe('x7');
    expect(sanitizeText(`with ${name}=x7, then`)).toBe(`with ${name}=x7, then`);
  });
});

describe('a log text named like a variable with a secret', () => {
  it.each(SHORT_SECRET_NAMES.filter((name) => /^[A-Z]+_[A-Z_]+$/.test(name)))('H6: masks the value of %s', (name) => {
    expect(sanitizeText(`with ${name}=x7, then`)).toBe(`with ${name}=${MASK}, then`);
    expect(sanitizeField('sent', { [name]: 'x7' })).toEqual({ [name]: MASK });
  });

  it.each([...LONGER_WORDS, 'auth', 'authn', 'pin'])('H6: leaves the value of %s unchanged', (name) => {
    expect(sanitizeField(name, 'x7')).toBe('x7');
    expect(sanitizeText(`with ${name}=x7, then`)).toBe(`with ${name}=x7, then`);
  });
});

describe('L1: a log field', () => {
  it.each([
    ['password', 'hunter2', MASK],
    ['clientSecret', 5, MASK],
    ['reason', `with ${JWT}`, `with ${MASK}`],
    ['pw', 'hunter2', MASK],
    ['assertion', 'abc', MASK],
    ['code', '123456', MASK],
    ['code', 'ECONNREFUSED', 'ECONNREFUSED'],
    ['headers', { authorization: 'abc', 'set-cookie': ['def'] }, { authorization: MASK, 'set-cookie': MASK }],
    ['seen', { [JWT]: 1 }, { [MASK]: 1 }],
    ['count', 5, 5],
    ['empty', null, null],
    [
      'sent',
      { name: 'anna', token: 'x', deep: { pin: 1, accessToken: 'y' } },
      { name: 'anna', token: MASK, deep: { pin: 1, accessToken: MASK } },
    ],
    ['rows', ['a', { api_key: 'b' }], ['a', { api_key: MASK }]],
    ['map', new Map([['pwd', 'x']]), { pwd: MASK }],
    ['at', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['bytes', Buffer.from('secret'), '6 bytes'],
    ['error', new Error('no pw=hunter2'), `Error: no pw=${MASK}`],
  ])('%s is written with secrets masked: %o', (name, value, expected) => {
    expect(sanitizeField(name, value)).toEqual(expected);
  });

  // Each `ey` once started a search to the end of the text, which took hours.
  it('H6: is truncated before it is searched if it is extremely long', () => {
    expect(sanitizeField('sent', `${JWT} ${'eyA-'.repeat(1_000_000)}`)).toMatch(/^\*{6} (?:eyA-)+.*\(cut\)$/);
  });

  it('shows no part of an unusually long token', () => {
    const long = `eyJ${'hbGciOi9Yx-_'.repeat(100)}.eyJzdWIiOiJhbm5hIn0.MEUCIQDxyz1_abcMEUCIQDxyz1_abcMEUCIQDxyz1_abc`;

    expect(sanitizeField('sent', long)).not.toMatch(/hbGci|MEUCI/);
  });

  it('a log field that contains itself is truncated', () => {
    const circle: Record<string, unknown> = {};
    circle['again'] = circle;

    expect(JSON.stringify(sanitizeField('circle', circle))).toContain('...');
  });

  it('may contain a member named __proto__', () => {
    const shown = sanitizeField('sent', JSON.parse('{"__proto__":{"a":1}}'));

    expect(JSON.stringify(shown)).toBe('{"__proto__":{"a":1}}');
  });
});
