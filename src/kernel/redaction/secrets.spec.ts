import { describe, expect, it } from 'vitest';
import { PLAIN_NAMES, SECRET_NAMES } from '../../../test/support/login/secret-names.js';
import { isSecretColumn, sanitizeUrls, isSecretName, sanitizeValue, sanitizeUnresolved } from './secrets.js';

describe('the name of a key', () => {
  it.each([
    ...SECRET_NAMES,
    'app.datasource.pass-word',
    'keys.api-key[0]',
    'API_KEY_0',
    'API_KEY_0_',
    'app.security.seal.KEY',
  ])('%s counts as the name of a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([...PLAIN_NAMES, ''])('%s does not count as the name of a secret', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('a URL', () => {
  it.each([
    ['jdbc:mysql://root:geheim@db:3306/login', 'jdbc:mysql://******@db:3306/login'],
    ['redis://:geheim@store', 'redis://******@store'],
    ['http://token@proxy:3128/', 'http://******@proxy:3128/'],
    ['jdbc:mysql://root:ge/he?im#1@db/login', 'jdbc:mysql://******@db/login'],
    ['jdbc:mysql://root:ge heim@db/login', 'jdbc:mysql://******@db/login'],
    ['jdbc:mysql://root:ge@heim@db/login', 'jdbc:mysql://******@db/login'],
    ['http://a:x@one, http://b:y@two', 'http://******@one, http://******@two'],
    ['jdbc:mysql://db/login?user=root&password=geheim', 'jdbc:mysql://db/login?user=root&password=******'],
    ['jdbc:mysql://db/login?PASSWORD=geheim&useSSL=true', 'jdbc:mysql://db/login?PASSWORD=******&useSSL=true'],
    ['jdbc:mysql://db/login?password=ge;he im', 'jdbc:mysql://db/login?password=******'],
    ['jdbc:x://db;user=sa;password=geheim', 'jdbc:x://db;user=sa;password=******'],
    ['https://api/?x=1&access_token=geheim#top', 'https://api/?x=1&access_token=******'],
    ['https://api/?trustCertificateKeyStorePassword=a', 'https://api/?trustCertificateKeyStorePassword=******'],
    [
      'jdbc:mysql://(host=db,user=root,password=geheim)/login',
      'jdbc:mysql://(host=db,user=root,password=******)/login',
    ],
    ['jdbc:mysql://address=(host=db)(password=geheim)/login', 'jdbc:mysql://address=(host=db)(password=******)/login'],
    ['//root:geheim@db/login', '//******@db/login'],
    ['to_http://root:geheim@db/, 1a://root:geheim@db', 'to_http://******@db/, 1a://******@db'],
  ])('%s is shown as %s', (text, expected) => {
    expect(sanitizeUrls(text)).toBe(expected);
  });

  it.each([
    'jdbc:mysql://db:3306/login?useSSL=true',
    'jdbc:mysql://one:3306,two:3306/login?mail=a@b',
    'jdbc:mysql://db:3306/login?connectTimeout=5&mail=a@b',
    'jdbc:mariadb://[2001:db8::1]:3306/login',
    'jdbc:sqlite:./data/login.db',
    'a mail to ops@example.org',
    'file:///home/ops@example.org/x',
    'classpath:mapper/**/*.xml',
    '%d{HH:mm} %X{key:-none}',
  ])('%s is shown unchanged', (text) => {
    expect(sanitizeUrls(text)).toBe(text);
  });
});

// Callers of the service send such texts, too. Some expressions once searched them from each letter to the end.
it.each([
  '?',
  '??a',
  '?a',
  '?pass',
  ';key',
  'a.',
  'a+',
  '//',
  '//a',
  '//a:',
  'x://a:b ',
  '(',
  '(a',
  ',pwd',
  '.1',
  '[1]x',
])('H6: a long repetition of %s is searched in linear time', (part) => {
  const text = `${part.repeat(300_000)}x`;

  expect(sanitizeUrls(text)).toHaveLength(text.length);
  expect(isSecretName(text)).toBe(false);
});

describe('the display of a value', () => {
  it('masks a secret without its length, but shows that it is empty', () => {
    expect([sanitizeValue('a', true), sanitizeValue('a much longer one', true), sanitizeValue('', true)]).toEqual([
      '******',
      '******',
      '',
    ]);
  });

  it('masks a value that contains a secret through a placeholder', () => {
    expect(sanitizeValue('jdbc:x', false, ['HOST', 'DB_PASSWORD'])).toBe('******');
    expect(sanitizeValue('jdbc:x', false, ['HOST'])).toBe('jdbc:x');
    expect(sanitizeValue('20s', false, ['app.security.token.access-lifetime'])).toBe('20s');
  });

  it.each(['DB_PASS', 'RELAY_PW', 'SECRET_OF_RELAY'])('masks a value that comes from the variable %s', (name) => {
    expect(sanitizeValue('jdbc:x', false, [name])).toBe('******');
    expect(sanitizeUnresolved(`\${${name}:hunter2}`, false)).not.toContain('hunter2');
  });

  it.each([
    ['${DB_PASSWORD}', true, '${DB_PASSWORD}'],
    ['${DB_PASSWORD:geheim}', true, '******'],
    ['x${DB_PASSWORD}', true, '******'],
    ['a ${DB_PASSWORD:geheim} b', false, 'a ******'],
    ['a ${HOST} ${DB_PASSWORD:ge{heim} ${HOST}', false, 'a ${HOST} ******'],
    ['a ${of.${REGION:eu}.key:geheim}', false, 'a ******'],
    ['a ${HOST:local} b', false, 'a ${HOST:local} b'],
    ['jdbc:mysql://u:geheim@${HOST}/', false, 'jdbc:mysql://******@${HOST}/'],
  ])('shows the unresolved %s (secret: %s) as %s', (text, isSecret, expected) => {
    expect(sanitizeUnresolved(text, isSecret)).toBe(expected);
  });
});

it.each([
  ...['password', 'password_hash', 'secret_hash', 'token_hash', 'hash', 'backupCode', 'code', 'totpSecret', 'sealed'],
  ...['sealed_successor', 'replaced_by', 'jti', 'otp', 'accessToken', 'relay_state', 'name_id', 'expired_key', 'pwd'],
  ...['expiredKey[12]', 'user.password', 'codes[0].code', 'pepper'],
])('a column or parameter %s is the name of a secret', (name) => {
  expect(isSecretColumn(name)).toBe(true);
});

it.each([
  ...[
    'id',
    'user',
    'user_id',
    'kind',
    'at',
    'ip',
    'limit',
    'before',
    'result',
    'reason',
    'events',
    'firstId',
    'item[3]',
  ],
  ...['expires_at', 'seal_key_id', 'idp', 'amr', 'login_id'],
])('a column or parameter %s is not the name of a secret', (name) => {
  expect(isSecretColumn(name)).toBe(false);
});
