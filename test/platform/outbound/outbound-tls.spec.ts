import { afterEach, expect, it } from 'vitest';
import { keyStore, type MadeCertificate, makeCertificate } from '../../support/http/certificates.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { ForwardProxyServer } from '../../support/http/forward-proxy.js';
import { needs } from '../../support/runner/needs.js';
import { BundleFiles, configurationOf, startNamingServer } from '../../support/http/tls-bundle.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import type { OutboundFailure } from '../../../src/platform/outbound/outbound-failure.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { OutboundHttp } from '../../../src/platform/outbound/outbound-http.service.js';

const RELOADED = 'INFO Reloaded a certificate bundle for new connections';
const REFUSED = 'WARN The changed files of a certificate bundle cannot be used; the old ones stay in use';
/** The first if the server sends its certificate alone, the second if it sends the authority, too. */
const UNTRUSTED = expect.stringMatching(/^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)$/) as string;
const OPEN = ['--app.http.client.allowed-addresses=127.0.0.0/8', '--http.nonProxyHosts='];

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function client(args: readonly string[]) {
  const log = new CollectedLog();
  const http = OutboundHttp.of(
    configurationOf(['--app.http.client.ssl.bundle=partner', ...OPEN, ...args]),
    new Meters(),
    log.loggers,
  );
  endings.push(() => http.close());
  const call = async (url: string, reach: 'public' | 'any' = 'public'): Promise<string> => {
    try {
      const response = await http.request({ client: 'webhook', url, reach, totalMillis: 30_000 });
      return String(await response.read(1000));
    } catch (error) {
      return (error as OutboundFailure).code;
    }
  };
  return { call, log };
}

async function served(certificate: MadeCertificate, clients?: MadeCertificate): Promise<string> {
  const { server, url } = await startNamingServer(certificate, clients);
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

needs('openssl')('app.http.client.ssl.bundle', () => {
  it.each(['public', 'any'] as const)('a server of the trusted authority is called (%s addresses)', async (reach) => {
    const authority = makeCertificate({ name: 'authority' });
    const url = await served(makeCertificate({ signedBy: authority }));

    expect(await client(new BundleFiles(authority).args).call(url, reach)).toBe('nobody');
  });

  it('a PKCS12 trust store is used like a PEM file', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const url = await served(makeCertificate({ signedBy: authority }));
    const bundle = '--app.ssl.bundle.jks.partner.truststore';
    const store = keyStore(authority, 'changeit', ['-nokeys']);

    const { call } = client([`${bundle}.location=${store}`, `${bundle}.password=changeit`, `${bundle}.type=PKCS12`]);

    expect(await call(url)).toBe('nobody');
  });

  it('A11: a server is refused if another authority signed its certificate, or if it names another host', async () => {
    const [authority, stranger] = [makeCertificate({ name: 'authority' }), makeCertificate({ name: 'stranger' })];
    const { call } = client(new BundleFiles(authority).args);

    expect(await call(await served(makeCertificate({ signedBy: stranger })))).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(await call(await served(makeCertificate({ names: 'DNS:elsewhere.test', signedBy: authority })))).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
  });

  it('a server that requires a certificate gets that of the bundle', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const url = await served(makeCertificate({ signedBy: authority }), authority);
    const files = new BundleFiles(authority).identify(makeCertificate({ name: 'login', signedBy: authority }));

    expect(await client(files.args).call(url)).toBe('login');
  });

  it.each([
    ['RSA', 'rsa'],
    ['EC', 'ec'],
  ] as const)('A11: the authorities in a PKCS12 key store with a key of %s do not become trusted', async (_, kind) => {
    const [authority, own] = [makeCertificate({ name: 'authority' }), makeCertificate({ name: 'own' })];
    const identity = makeCertificate({ name: 'login', signedBy: own, key: kind });
    const bundle = '--app.ssl.bundle.jks.partner';
    const { call } = client([
      `${bundle}.keystore.location=${keyStore(identity, 'changeit', ['-certfile', own.certificate])}`,
      `${bundle}.keystore.password=changeit`,
      `${bundle}.truststore.location=${keyStore(authority, 'changeit', ['-nokeys'])}`,
      `${bundle}.truststore.password=changeit`,
    ]);

    expect(await call(await served(makeCertificate({ signedBy: own })))).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(await call(await served(makeCertificate({ signedBy: authority }), own))).toBe('login');
  });

  it.each([
    ['the key and the certificate', []],
    ['the key only', ['-certpbe', 'NONE']],
    ['both with 3DES', ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1']],
    ['the key with PBES2 and the certificate with 3DES', ['-certpbe', 'PBE-SHA1-3DES']],
  ])('a key store with a password that is not ASCII, which encrypts %s, identifies the service', async (_, parts) => {
    const authority = makeCertificate({ name: 'authority' });
    const identity = makeCertificate({ name: 'login', signedBy: authority });
    const bundle = '--app.ssl.bundle.jks.partner';
    const { call } = client([
      `${bundle}.keystore.location=${keyStore(identity, 'pässwörd ☃', parts)}`,
      `${bundle}.keystore.password=pässwörd ☃`,
      `${bundle}.truststore.location=${keyStore(authority, 'changeit', ['-nokeys'])}`,
      `${bundle}.truststore.password=changeit`,
    ]);

    expect(await call(await served(makeCertificate({ signedBy: authority }), authority))).toBe('login');
  });

  it('the bundle is also used in the tunnel of a forward proxy', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const url = await served(makeCertificate({ signedBy: authority }), authority);
    const proxy = await new ForwardProxyServer().start();
    endings.push(() => proxy.stop());
    const files = new BundleFiles(authority).identify(makeCertificate({ name: 'login', signedBy: authority }));
    const { host, port } = proxy.settings;

    expect(await client([`--https.proxyHost=${host}`, `--https.proxyPort=${port}`, ...files.args]).call(url)).toBe(
      'login',
    );
  });

  it('new authorities and a new certificate are used without a restart, and the old authority is no longer trusted', async () => {
    const [old, next] = [makeCertificate({ name: 'old' }), makeCertificate({ name: 'next' })];
    const files = new BundleFiles(old).identify(makeCertificate({ name: 'login-1', signedBy: old }));
    const oldUrl = await served(makeCertificate({ signedBy: old }), old);
    const newUrl = await served(makeCertificate({ signedBy: next }), next);
    const { call, log } = client(files.args);
    expect([await call(oldUrl), await call(newUrl)]).toEqual(['login-1', UNTRUSTED]);

    files.identify(makeCertificate({ name: 'login-2', signedBy: next }));
    files.trust(next);
    await waitUntil('the bundle is reloaded', () => log.messages.includes(RELOADED));

    // The connection to the first server was open and kept its TLS session.
    expect([await call(oldUrl), await call(newUrl)]).toEqual([UNTRUSTED, 'login-2']);
    expect(log.messages).toEqual([RELOADED]);
  });

  it('invalid new files leave the old ones in use, with a warning that names the file and the key', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const files = new BundleFiles(authority);
    const url = await served(makeCertificate({ signedBy: authority }));
    const { call, log } = client(files.args);
    await call(url);

    files.damage();
    await waitUntil('the change is refused', () => log.messages.includes(REFUSED));

    expect(await call(url)).toBe('nobody');
    expect(log.lines[0]?.fields).toEqual({
      bundle: 'partner',
      usedBy: 'app.http.client.ssl.bundle',
      problem: expect.stringContaining(
        `; File: ${files.trusted}; Reason: it holds no certificate in PEM form. app.ssl.bundle.pem.partner.truststore.certificate: Set it`,
      ) as string,
    });
  });

  it('a bundle that cannot be read at the first call is read again at the next', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const files = new BundleFiles(authority);
    const url = await served(makeCertificate({ signedBy: authority }));
    const { call } = client(files.args);
    files.damage();
    expect(await call(url)).toBe('ConfigurationFailure');

    files.trust(authority);

    expect(await call(url)).toBe('nobody');
  });
});
