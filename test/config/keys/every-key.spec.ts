import { describe, expect, it } from 'vitest';
import { variableForms } from '../../../src/config/names/key-name.js';
import type { ConfigurationReading } from '../../../src/config/configuration.js';
import { ConversionProblem } from '../../../src/config/problem.js';
import { type Example, examples, readKey, sampleOf } from './examples.js';
import { reading, type Situation } from './situation.js';

/** The result of an empty text of a key: a bound value, or a report. */
type Meaning = { readonly value: unknown } | 'report';

/** Keys without a default whose empty text is a value. */
const EMPTY_VALUES: Readonly<Record<string, unknown>> = {
  'app.json.date-format': '',
  'app.security.webhook.secret': new Uint8Array(),
  'app.ssl.bundle.jks.web.truststore.password': '',
};

/** Keys without a default that are not to be missing unnoticed: their absence weakens protection. */
const EMPTY_REPORTED = [
  'server.ssl.bundle',
  'app.datasource.ssl.bundle',
  'app.mail.ssl.bundle',
  'app.mail.username',
  'app.data.kvstore.ssl.bundle',
  'app.http.client.ssl.bundle',
  'app.security.clients.web.secret',
  'app.security.mfa.backup-code.pepper',
  'app.security.mfa.backup-code.active-pepper-id',
  'app.security.saml.idp.web.metadata-certificate',
  'app.security.saml.idp.web.entity-id',
  'app.security.saml.idp.web.bundle',
  'app.security.saml.idp.web.account.attribute',
  'app.security.seal.active',
  'app.ssl.bundle.pem.web.truststore.certificate',
  'app.ssl.bundle.jks.web.truststore.location',
];

/** Types whose empty text means the default, of map entries as well (configuration-sources.md, "Key names"). */
const OF_DEFAULT = new Set(['integer', 'number', 'boolean', 'duration', 'data size', 'choice', 'rate']);

function meaningOf(key: Example): Meaning {
  const { name, type, byDefault, isEntry } = key;
  if (type.shape === 'list') return { value: [] };
  if (Object.hasOwn(EMPTY_VALUES, name)) return { value: EMPTY_VALUES[name] };
  if (EMPTY_REPORTED.includes(name)) return 'report';
  // YAML reads an unquoted NULL as nothing.
  if (name === 'mapper.configuration.jdbc-type-for-null') return { value: 'NULL' };
  if (OF_DEFAULT.has(type.name) || (!isEntry && byDefault === undefined)) return { value: byDefault };
  const value = type.parse('');
  return value instanceof ConversionProblem ? 'report' : { value };
}

/** Empty texts in the kinds of sources, and how an origin names each source. */
const SOURCES: readonly (readonly [(name: string) => Situation, RegExp])[] = [
  [(name) => ({ args: [`--${name}=`] }), /"commandLineArgs"$/],
  [(name) => ({ variables: { [variableForms(name)[0] ?? '']: '' } }), /^System Environment Property/],
  [(name) => ({ files: { 'application.properties': `${name}=` } }), /^file \[application\.properties\]/],
  [(name) => ({ files: { 'application.yml': `${name}: ''` } }), /^file \[application\.yml\]/],
];

/** A lower source sets the key, which must not show through. Lists that add up have no lower source in this sense. */
function below(key: Example): Situation {
  const addsUp = key.type.shape === 'list' && key.type.addsUp;
  if (key.isFromProcessOnly || addsUp) return {};
  return { packaged: { 'application.yml': `${key.name}: ${JSON.stringify(sampleOf(key))}` } };
}

const named = examples.map((key) => [key.name, key] as const);

/** Reads an empty text of the key in every kind of source that may have it. */
function readingsOf(key: Example): readonly { readonly read: ConfigurationReading; readonly origin: RegExp }[] {
  return SOURCES.filter(([situation]) => !key.isFromProcessOnly || situation(key.name).files === undefined).map(
    ([situation, origin]) => ({ read: readKey(key, { ...below(key), ...situation(key.name) }), origin }),
  );
}

function reportsOf({ problems }: ConfigurationReading): readonly Readonly<Record<string, string>>[] {
  return problems.map(({ facts, action }) => ({ ...Object.fromEntries(facts), action }));
}

describe('empty texts of every key', () => {
  it('C4: the table names keys that exist', () => {
    const names = examples.map(({ name }) => name);

    expect([...Object.keys(EMPTY_VALUES), ...EMPTY_REPORTED].filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(named.filter(([, key]) => meaningOf(key) !== 'report'))(
    'C4: an empty %s has the meaning of its type in every kind of source, and hides lower sources',
    (_, key) => {
      const readings = readingsOf(key);

      expect(readings.map(({ read }) => [reportsOf(read), { value: key.boundIn(read) }])).toEqual(
        readings.map(() => [[], meaningOf(key)]),
      );
    },
  );

  it.each(named.filter(([, key]) => meaningOf(key) === 'report'))(
    'C4: an empty %s is reported from every kind of source, with value, origin and remedy',
    (_, key) => {
      const readings = readingsOf(key);

      expect(readings.map(({ read }) => reportsOf(read))).toEqual(
        readings.map(({ origin }) => [
          expect.objectContaining({
            Property: key.name,
            Value: '""',
            Origin: expect.stringMatching(origin) as string,
            action: expect.stringContaining(key.name) as string,
          }) as unknown,
        ]),
      );
    },
  );
});

/** Forms in which programs write an IPv6 address. */
const IPV6 = [
  '[2001:db8::1]',
  '[2001:db8::1]:26379',
  'http://[2001:db8::1]:8443',
  'https://[2001:db8::1]:8443/x',
  'jdbc:mariadb://[2001:db8::1]:3306/login',
];

/** Keys that take the address of a machine, alone or in a URL. */
const addressed = named.filter(([name, { type }]) => {
  const scalar = type.shape === 'list' ? type.element : type;
  return (
    scalar.name !== 'choice' &&
    /\b(?:URL|address|addresses|host name|origin)\b/.test(scalar.expects) &&
    name !== 'app.mail.from'
  );
});

describe('IPv6 addresses in brackets', () => {
  it('C4: the table of addresses covers hosts, URLs, origins and proxies', () => {
    expect(addressed.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'server.address',
        'app.datasource.url',
        'app.security.public-url',
        'app.security.cors.allowed-origins',
        'app.security.saml.idp.web.metadata',
        'app.mail.host',
        'app.data.kvstore.sentinel.nodes',
        'app.http.client.allowed-addresses',
        'http.proxyHost',
        'https.proxy',
      ]),
    );
  });

  it.each(addressed)('C4: %s reads an IPv6 address in brackets in one form, and reports any other form', (_, key) => {
    const readings = IPV6.map((text) => ({
      text,
      read: reading({ args: [`--${key.name}=${text}`, '--management.server.port=9'] }),
    }));
    const accepted = readings.filter(({ read }) => read.problems.length === 0);
    const rejected = readings.filter(({ read }) => read.problems.length > 0);

    expect(accepted.map(({ read }) => JSON.stringify(key.boundIn(read)))).toEqual(
      accepted.map(() => expect.stringContaining('2001:db8::1') as string),
    );
    expect(accepted).not.toEqual([]);
    expect(rejected.map(({ read }) => reportsOf(read))).toEqual(
      rejected.map(({ text }) => [
        expect.objectContaining({
          Property: key.name,
          Value: key.isSecret ? '"******"' : `"${text}"`,
          Origin: `"${key.name}" from property source "commandLineArgs"`,
          action: expect.stringContaining(key.name) as string,
        }) as unknown,
      ]),
    );
  });

  it.each([
    ['app.mail.host', 'a port', '[2001:db8::1]:25'],
    ['app.mail.host', 'a port of a name', 'relay:25'],
    ['http.proxyHost', 'a port', 'proxy.corp:3128'],
  ])('C4: %s with %s is reported', (name, _, text) => {
    expect(reportsOf(reading({ args: [`--${name}=${text}`] }))).toEqual([
      expect.objectContaining({ Property: name, Reason: 'not a host name or an IP address without a port' }),
    ]);
  });
});
