import { describe, expect, it } from 'vitest';
import { viewOfKey } from '../../../src/apps/cli/config/config-view.js';
import { Inspection } from '../../../src/config/show/inspection.js';
import { LONGER_WORDS, SHORT_SECRET_NAMES } from '../../support/login/secret-names.js';
import { reading, type Situation } from '../keys/situation.js';

const MASK = '******';

/** Every value that pages may show, by the name its author wrote. */
function valuesIn(situation: Situation): Readonly<Record<string, unknown>> {
  const { environment, registry } = reading(situation);
  const inspection = new Inspection(environment, registry);
  return Object.fromEntries(
    environment.sources.flatMap((source) =>
      Array.from(inspection.valuesOf(source), ([name, { value }]) => [name, value] as const),
    ),
  );
}

function file(text: string): Situation {
  return { files: { 'application.yml': text } };
}

describe('M3, L1: the sanitizer', () => {
  it.each([
    'app.datasource.password',
    'app.security.seal.keys.main',
    'app.security.clients.shop.secret',
    'app.security.mfa.backup-code.pepper',
    'app.security.token.signing-key',
    'app.security.token.verification-keys',
    'app.ssl.bundle.pem.web.keystore.private-key',
    'app.ssl.bundle.pem.web.keystore.private-key-password',
    'app.ssl.bundle.jks.web.truststore.password',
    'info.api.token',
    'info.credentials',
    'info.my-passphrase',
  ])('masks the value of %s', (key) => {
    expect(valuesIn(file(`${key}: sesame-sesame-sesame\n`))[key]).toBe(MASK);
  });

  it.each([
    'DB_PASS',
    'PGPASSWORD',
    'PASSWORD_OF_DB',
    'AWS_SECRET_ACCESS_KEY',
    'GITHUB_TOKEN',
    'TOKENS',
    'API_KEYS',
    'LDAP_PW',
    'STORE_CREDENTIAL',
    'HTTP_AUTHORIZATION',
    'APP_SECURITY_SEAL_KEYS_MAIN',
    'APP_SECURITY_CLIENTS_SHOP_SECRET',
  ])('masks the variable %s', (name) => {
    expect(valuesIn({ variables: { [name]: 'sesame-sesame-sesame' } })[name]).toBe(MASK);
  });

  it.each(SHORT_SECRET_NAMES)('H6: masks the variable or key %s', (name) => {
    expect(valuesIn({ variables: { [name]: 'sesame' } })[name]).toBe(MASK);
    expect(valuesIn(file(`${name}: sesame\n`))[name]).toBe(MASK);
  });

  it('H6: masks a value that contains a placeholder for a secret variable', () => {
    const values = valuesIn({ variables: { BASIC_AUTH: 'sesame' }, ...file('info.region: in-${BASIC_AUTH}\n') });

    expect(values['info.region']).toBe(MASK);
  });

  it.each([
    ['a document that app.config.import reads', 'app:\n  datasource:\n    password: sesame'],
    ['inline JSON', '{"app":{"datasource":{"password":"sesame"}}}'],
    ['options of another program', '-Xmx1g -Djavax.net.ssl.keyStorePassword=sesame'],
    ['an account without the scheme of its URL', 'root:sesame@db:3306/login'],
    ['an account in a malformed URL', 'http:/root:sesame@db/'],
    ['the value of a header', 'Bearer sesame-sesame'],
    ['a header', 'Authorization: Basic c2VzYW1lOnNlc2FtZQ=='],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----'],
  ])('masks a variable with %s', (_, text) => {
    expect(valuesIn({ variables: { SOMETHING: text } })['SOMETHING']).toBe(MASK);
  });

  it('masks every value that a placeholder of a secret leads to', () => {
    const situation = {
      variables: { LOGIN_DB: '${other.place}', OTHER_PLACE: 'sesame' },
      ...file('app.datasource.password: ${LOGIN_DB}\n'),
    };

    expect(valuesIn(situation)).toEqual({ LOGIN_DB: MASK, OTHER_PLACE: MASK, 'app.datasource.password': MASK });
  });

  it('masks overridden values of a key that a secret refers to', () => {
    const situation = { args: ['--login.db=new'], ...file('login.db: old\napp.datasource.password: ${login.db}\n') };

    expect(valuesIn(situation)['login.db']).toBe(MASK);
    const { environment, registry } = reading(situation);
    const all = new Inspection(environment, registry).find('login.db');
    expect(Array.from(all?.bySource.values() ?? [], ({ value }) => value)).toEqual([MASK, MASK]);
  });

  it.each([
    ['db_region', 'DB_REGION'],
    ['db-region', 'DB_REGION'],
    ['db.some-region', 'DB_SOME_REGION'],
    ['db-region', 'db_region'],
  ])(
    'C5: the placeholder ${%s} of a secret masks the variable %s that it finds in another spelling',
    (placeholder, name) => {
      const situation = { variables: { [name]: 'sesame' }, ...file(`app.datasource.password: \${${placeholder}}\n`) };
      const { environment, registry } = reading(situation);

      expect(environment.fill(`\${${placeholder}}`)).toMatchObject({ text: 'sesame' });
      expect(valuesIn(situation)).toEqual({ [name]: MASK, 'app.datasource.password': MASK });
      expect(viewOfKey(environment, registry, name).lines[0]).toBe(`${name} = ${MASK}`);
    },
  );

  it('masks a sequence that a secret refers to', () => {
    const situation = file('parts: [se, same]\napp.datasource.password: ${parts}\n');

    expect(valuesIn(situation)).toMatchObject({ 'parts[0]': MASK, 'parts[1]': MASK });
  });

  it('masks values that refer to a secret directly or indirectly', () => {
    const variables = { DB_PASSWORD: 'sesame', APP_SECURITY_SEAL_KEYS_MAIN: 'x', LOGIN_DB: 'sesame' };
    const text = [
      'app.datasource.password: ${LOGIN_DB}',
      'info.a: ${DB_PASSWORD}',
      'info.b: ${info.a}',
      'info.c: ${app.security.seal.keys.main}',
      'info.d: ${APP_SECURITY_SEAL_KEYS_MAIN}',
      'info.e: ${LOGIN_DB}',
      'info.f: ${NO_PASSWORD:sesame}',
    ].join('\n');

    expect(valuesIn({ variables, ...file(text) })).toMatchObject({
      ...Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`info.${name}`, MASK])),
    });
  });

  it('masks the user part of a URL and variables that fill it', () => {
    const variables = { LOGIN_DB: 'sesame', DB_HOST: 'db.example', PROXY: 'http://me:sesame@proxy.example:3128' };
    const text = [
      'info.url: jdbc:mariadb://me:sesame@db.example/login?password=sesame&x=1',
      'info.filled: jdbc:mariadb://me:${LOGIN_DB}@${DB_HOST}/login',
    ].join('\n');

    expect(valuesIn({ variables, ...file(text) })).toEqual({
      LOGIN_DB: MASK,
      DB_HOST: 'db.example',
      PROXY: 'http://******@proxy.example:3128',
      'info.url': 'jdbc:mariadb://******@db.example/login?password=******&x=1',
      'info.filled': MASK,
    });
  });

  it('masks a mounted secret with an unregistered key and values that refer to it', () => {
    const situation = {
      args: ['--app.config.import=configtree:./secrets/'],
      files: {
        'secrets/db-place': 'sesame',
        'secrets/server.port': '9000',
        'application.yml': 'info.a: ${db-place}\n',
      },
    };

    expect(valuesIn(situation)).toMatchObject({ 'db-place': MASK, 'info.a': MASK, 'server.port': '9000' });
  });
});

describe('the sanitizer beside secrets', () => {
  it('shows other values as text, number or boolean with placeholders resolved', () => {
    const variables = { REGION: 'eu', HOME: '/home/login' };
    const text = [
      'server.port: 9000',
      'app.openapi.enabled: false',
      'info.quoted: "9000"',
      'info.version: 1.10',
      'info.octal: 0600',
      'info.region: in-${REGION}',
      'info.unset: in-${NOWHERE}-${REGION}',
      'info.nothing:',
    ].join('\n');

    expect(valuesIn({ variables, ...file(text) })).toEqual({
      REGION: 'eu',
      HOME: '/home/login',
      'server.port': 9000,
      'app.openapi.enabled': false,
      'info.quoted': '9000',
      'info.version': '1.10',
      'info.octal': '0600',
      'info.region': 'in-eu',
      'info.unset': 'in-${NOWHERE}-eu',
      'info.nothing': '',
    });
  });

  it.each(LONGER_WORDS)('H6: does not mask the variable or key %s, whose words are longer', (name) => {
    expect(valuesIn({ variables: { [name]: 'plain' } })[name]).toBe('plain');
    expect(valuesIn(file(`${name}: plain\n`))[name]).toBe('plain');
  });

  it.each([
    ['logging.level.auth', 'DEBUG'],
    ['logging.level.auth.mfa', 'DEBUG'],
    ['LOGGING_LEVEL_AUTH', 'DEBUG'],
    ['app.security.mfa.fresh-auth', '5m'],
    ['APP_SECURITY_MFA_FRESHAUTH', '5m'],
    ['info.auth', 'SAML and password'],
  ])('H6: does not mask the registered key %s', (name, value) => {
    const isVariable = name === name.toUpperCase();
    expect(valuesIn(isVariable ? { variables: { [name]: value } } : file(`${name}: ${value}\n`))[name]).toBe(value);
  });

  it('does not mask the level of a logger with a secret name', () => {
    expect(valuesIn(file('logging.level.token: DEBUG\n'))['logging.level.token']).toBe('DEBUG');
  });
});
