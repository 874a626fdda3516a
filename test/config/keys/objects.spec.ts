import { describe, expect, it } from 'vitest';
import { HealthEndpointProperties } from '../../../src/management/health/health.properties.js';
import { PemBundleProperties, SslBundleProperties } from '../../../src/platform/tls/tls.properties.js';
import { bound, reading, shownOf, type Situation } from './situation.js';

function pem(situation: Situation): ReadonlyMap<string, PemBundleProperties> {
  return bound(situation, SslBundleProperties).pem;
}

describe('named objects', () => {
  const overThreeSources: Situation = {
    files: {
      'application.yml': [
        'app.ssl.bundle.pem:',
        '  web:',
        '    keystore: { certificate: file:web.crt, private-key: file:web.key }',
        '    options.ciphers: [ECDHE-RSA-AES128-GCM-SHA256, ECDHE-RSA-AES256-GCM-SHA384]',
        '  store:',
        '    truststore.certificate: file:ca.crt',
      ].join('\n'),
    },
    variables: {
      APP_SSL_BUNDLE_PEM_WEB_KEYSTORE_PRIVATEKEYPASSWORD: 'geheim',
      APP_SSL_BUNDLE_PEM_WEB_OPTIONS_CIPHERS_0: 'TLS_AES_256_GCM_SHA384',
    },
    args: ['--app.ssl.bundle.pem.web.keystore.certificate=file:other.crt', '--app.ssl.bundle.pem.mail.protocol=TLS'],
  };

  it('named objects merge member by member over files, environment and arguments', () => {
    const bundles = pem(overThreeSources);

    expect([...bundles.keys()].sort()).toEqual(['mail', 'store', 'web']);
    expect(bundles.get('web')).toEqual(
      Object.assign(new PemBundleProperties(), {
        keystoreCertificate: 'file:other.crt',
        keystorePrivateKey: 'file:web.key',
        keystorePrivateKeyPassword: 'geheim',
        ciphers: ['TLS_AES_256_GCM_SHA384'],
      }),
    );
    expect(bundles.get('store')?.truststoreCertificate).toBe('file:ca.crt');
    expect(bundles.get('mail')).toEqual(new PemBundleProperties());
  });

  it('members of named objects are shown with their own origins, and passwords are masked', () => {
    const read = reading(overThreeSources);

    expect(shownOf(read, 'app.ssl.bundle.pem.web.keystore.certificate')).toEqual({
      value: 'file:other.crt',
      origin: '"app.ssl.bundle.pem.web.keystore.certificate" from property source "commandLineArgs"',
    });
    expect(shownOf(read, 'app.ssl.bundle.pem.web.keystore.private-key-password')).toEqual({
      value: '******',
      origin: 'System Environment Property "APP_SSL_BUNDLE_PEM_WEB_KEYSTORE_PRIVATEKEYPASSWORD"',
    });
    expect(shownOf(read, 'app.ssl.bundle.pem.web.reload-on-update').value).toBe('false  (default)');
  });

  it.each([
    'APP_SSL_BUNDLE_PEM_WEB_RELOADONUPDATE',
    'APP_SSL_BUNDLE_PEM_WEB_RELOAD_ON_UPDATE',
    'app_ssl_bundle_pem_web_reload_on_update',
    'app.ssl.bundle.pem.web.reload-on-update',
  ])('the variable %s sets a member of a named object', (name) => {
    expect(pem({ variables: { [name]: 'true' } }).get('web')?.reloadOnUpdate).toBe(true);
  });

  it('all spellings of a name mean one object, which has the spelling of the argument', () => {
    const bundles = pem({
      files: { 'application.yml': 'app.ssl.bundle.pem.internalCa.truststore.certificate: file:ca.crt' },
      variables: {
        APP_SSL_BUNDLE_PEM_INTERNALCA_PROTOCOL: 'TLS',
        APP_SSL_BUNDLE_PEM_INTERNAL_CA_RELOADONUPDATE: 'true',
      },
      args: ['--app.ssl.bundle.pem.INTERNALCA.options.ciphers=TLS_AES_256_GCM_SHA384'],
    });

    expect([...bundles.keys()]).toEqual(['INTERNALCA']);
    expect(bundles.get('INTERNALCA')).toMatchObject({
      truststoreCertificate: 'file:ca.crt',
      reloadOnUpdate: true,
      ciphers: ['TLS_AES_256_GCM_SHA384'],
    });
  });

  it('objects named only by the environment have lower-case names', () => {
    expect([...pem({ variables: { APP_SSL_BUNDLE_PEM_MY_CA_PROTOCOL: 'TLS' } }).keys()]).toEqual(['myca']);
  });

  it('object names in brackets are taken as they are written', () => {
    const situation = { args: ['--app.ssl.bundle.pem[My.Bundle].options.ciphers=TLS_AES_256_GCM_SHA384'] };

    expect(pem(situation).get('My.Bundle')?.ciphers).toEqual(['TLS_AES_256_GCM_SHA384']);
    expect(shownOf(reading(situation), 'app.ssl.bundle.pem[My.Bundle].options.ciphers').value).toBe(
      'TLS_AES_256_GCM_SHA384',
    );
  });

  it('objects may be named like object properties', () => {
    const situation = {
      files: {
        'application.yml':
          'app.ssl.bundle.pem: { constructor: { truststore.certificate: a }, "[__proto__]": { truststore.certificate: b } }',
      },
    };

    expect([...pem(situation)].map(([name, { truststoreCertificate }]) => [name, truststoreCertificate])).toEqual([
      ['constructor', 'a'],
      ['__proto__', 'b'],
    ]);
  });

  it.each([
    'APP_SSL_BUNDLE_PEM__PROTOCOL',
    'APP_SSL_BUNDLE_PEM___PROTOCOL',
    'APP_SSL_BUNDLE_PEM_PROTOCOL',
    'APP_SSL_BUNDLE_PEM_WEB',
  ])('the variable %s creates no object, because it names no object or no member', (name) => {
    const read = reading({ variables: { [name]: 'TLS' } });

    expect(read.problems).toEqual([]);
    expect([...pem({ variables: { [name]: 'TLS' } })]).toEqual([]);
    expect(read.warnings.join()).toContain(`${name} sets no key of this service`);
  });

  it('named objects reject plain values and unknown members', () => {
    const { problems } = reading({
      files: { 'application.yml': 'app.ssl.bundle.pem:\n  web: file:web.crt\n  store: { keystore.certficate: x }\n' },
    });

    expect(problems.map(({ what }) => what)).toEqual([
      'app.ssl.bundle.pem.web is a section and takes no value',
      'The key app.ssl.bundle.pem.store.keystore.certficate is unknown',
    ]);
    expect(problems[1]?.action).toContain('Did you mean app.ssl.bundle.pem.store.keystore.certificate?');
  });

  it('named objects are checked separately, and every failure is reported', () => {
    const { problems } = reading({
      files: {
        'application.yml':
          'app.ssl.bundle.pem: { a: { keystore.private-key: x }, b: { keystore.private-key: y }, c: { truststore.certificate: z } }',
      },
    });

    expect(problems.map(({ facts }) => Object.fromEntries(facts)['Property'])).toEqual([
      'app.ssl.bundle.pem.a.keystore.private-key',
      'app.ssl.bundle.pem.b.keystore.private-key',
    ]);
  });
});

it('named objects may contain maps, whose entries are merged and shown individually', () => {
  const group = 'management.endpoint.health.group.mine';
  const situation: Situation = {
    files: { 'application.yml': `${group}.status.http-mapping: { DOWN: 500, FATAL: 501 }\n` },
    variables: { MANAGEMENT_ENDPOINT_HEALTH_GROUP_MINE_STATUS_HTTPMAPPING_DOWN: '502' },
    args: [`--${group}.status.http-mapping.out-of-service=503`],
  };

  const { group: groups } = bound(situation, HealthEndpointProperties);

  expect(groups.get('mine')?.statusHttpMapping).toEqual(
    new Map([
      ['DOWN', 502],
      ['FATAL', 501],
      ['out-of-service', 503],
    ]),
  );
  expect(shownOf(reading(situation), `${group}.status.http-mapping.DOWN`)).toEqual({
    value: '502',
    origin: 'System Environment Property "MANAGEMENT_ENDPOINT_HEALTH_GROUP_MINE_STATUS_HTTPMAPPING_DOWN"',
  });
});
