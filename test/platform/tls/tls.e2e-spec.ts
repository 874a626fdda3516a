import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text as wholeText } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { encryptedKey, keyStore, makeCertificate, type MadeCertificate } from '../../support/http/certificates.js';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { needs } from '../../support/runner/needs.js';
import { sendRaw } from '../../support/http/raw-http.js';
import {
  handshake,
  JSON_BODY,
  nameShown,
  overHttp1,
  type SecureAnswer,
  type SecureRequest,
} from '../../support/http/secure-client.js';
import { runService, type RunningService, type ServiceOptions, startService } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const PASSWORD = 'correct horse battery staple';
const PEM = '--app.ssl.bundle.pem.web.';
const STORE = '--app.ssl.bundle.jks.web.';
const BY_NAME = '--server.ssl.bundle=web';

let made: MadeCertificate;
let running: RunningService | undefined;

function pemArgs({ certificate, key }: Pick<MadeCertificate, 'certificate' | 'key'>): readonly string[] {
  return [BY_NAME, `${PEM}keystore.certificate=${certificate}`, `${PEM}keystore.private-key=${key}`];
}

async function start(args: readonly string[], options: Omit<ServiceOptions, 'args'> = {}): Promise<RunningService> {
  running = await startService({ args, ...options });
  return running;
}

/** The login of the initial user, whose password the service prints; its response requires a second factor. */
async function firstLogin(service: RunningService): Promise<SecureRequest> {
  const [, pw] = await waitUntil('the initial administrator is printed', () =>
    /^First user: admin with password (\S+)/m.exec(service.stdout),
  );
  return { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ id: 'admin', pw }), ca: made.pem };
}

function bodyOf({ text }: SecureAnswer): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Record<string, unknown>;
}

needs('openssl')('the main listener with a certificate bundle', () => {
  beforeAll(() => {
    made = makeCertificate();
  });

  afterEach(async () => {
    await running?.release();
    running = undefined;
  });

  describe('TLS with default settings', () => {
    let service: RunningService;

    beforeAll(async () => {
      service = await startService({ args: pemArgs(made) });
      return async () => {
        await service.release();
      };
    });

    it('POST /login works over HTTP/1.1, which browsers that prefer HTTP/2 also negotiate', async () => {
      const login = await firstLogin(service);
      const browser = await handshake(service.url, { ca: made.pem, ALPNProtocols: ['h2', 'http/1.1'] });

      const answer = await overHttp1(service.url, '/login', login);

      expect(service.url).toMatch(/^https:/);
      expect(browser.alpnProtocol).toBe('http/1.1');
      expect(answer.status).toBe(200);
      expect(bodyOf(answer)).toMatchObject({ mfa_required: true });
    });

    it('rejects the handshake of a client that offers only HTTP/2', async () => {
      const handshakeOverHttp2 = handshake(service.url, { ca: made.pem, ALPNProtocols: ['h2'] });

      await expect(handshakeOverHttp2).rejects.toThrow(/no application protocol/);
    });

    it('sends Strict-Transport-Security with the other headers', async () => {
      const request = { headers: { 'x-request-id': 'request-of-mine' }, ca: made.pem };

      const { headers } = await overHttp1(service.url, '/actuator/health', request);

      expect(headers).toMatchObject({
        connection: 'close',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-request-id': 'request-of-mine',
      });
    });

    it.each<[string, string, Omit<SecureRequest, 'ca'>, number, string]>([
      ['an unknown path', '/nothing', {}, 404, 'NOT_FOUND'],
      ['an unsupported method', '/login', {}, 405, 'METHOD_NOT_ALLOWED'],
      ['a missing access token', '/me', {}, 401, 'INVALID_TOKEN'],
      ['malformed JSON', '/login', { method: 'POST', headers: JSON_BODY, body: '{' }, 400, 'VALIDATION_FAILED'],
      [
        'another media type',
        '/login',
        { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      ['a path that is not UTF-8', '/%ff', {}, 400, 'VALIDATION_FAILED'],
      [
        'a large body',
        '/login',
        { method: 'POST', headers: JSON_BODY, body: 'x'.repeat(256 * 1024) },
        413,
        'PAYLOAD_TOO_LARGE',
      ],
    ])('rejects %s over TLS and serves the next request', async (_, path, request, status, code) => {
      const answer = await overHttp1(service.url, path, { ...request, ca: made.pem });

      expect([answer.status, answer.headers['content-type']]).toEqual([
        status,
        'application/problem+json;charset=UTF-8',
      ]);
      expect(bodyOf(answer)).toMatchObject({ code, status, request_id: answer.headers['x-request-id'] });
      expect((await overHttp1(service.url, '/actuator/health', { ca: made.pem })).status).toBe(200);
    });

    it('sends no response to plain HTTP or other bytes without TLS', async () => {
      const plain = service.url.replace('https:', 'http:');

      const answers = [
        await sendRaw(plain, `GET / HTTP/1.1\r\nHost: ${new URL(plain).host}\r\n\r\n`),
        await sendRaw(plain, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        await sendRaw(plain, Buffer.alloc(100_000, 0x16)),
      ];

      expect(answers.flatMap(({ statuses }) => statuses)).toEqual([]);
      expect((await overHttp1(service.url, '/actuator/health', { ca: made.pem })).status).toBe(200);
    });

    it('H5: rejects 100 KB of headers', async () => {
      const headers = { 'x-large': 'x'.repeat(100 * 1024) };

      expect((await overHttp1(service.url, '/login', { headers, ca: made.pem })).status).toBe(431);
    });

    it('logs no errors about invalid requests and connections', () => {
      expect([service.stderr, service.log.filter((line) => line.startsWith('ERROR'))]).toEqual(['', []]);
    });
  });

  it('accepts only the TLS versions and cipher suites of the bundle', async () => {
    const { url } = await start([
      ...pemArgs(made),
      `${PEM}options.enabled-protocols=TLSv1.2`,
      `${PEM}options.ciphers=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,ECDHE-ECDSA-CHACHA20-POLY1305`,
    ]);

    const socket = await handshake(url, { ca: made.pem });

    expect([socket.getProtocol(), socket.getCipher().name]).toEqual(['TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384']);
    await expect(handshake(url, { ca: made.pem, minVersion: 'TLSv1.3' })).rejects.toThrow(/alert protocol version/);
    await expect(
      handshake(url, { ca: made.pem, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' }),
    ).rejects.toThrow(/handshake failure/);
  });

  it.each<[string, () => readonly string[]]>([
    [
      'a PKCS12 file',
      () => [`${STORE}keystore.location=file:${keyStore(made, PASSWORD)}`, `${STORE}keystore.password=\${SECRET}`],
    ],
    [
      'an encrypted key',
      () => [
        `${PEM}keystore.certificate=file:${made.certificate}`,
        `${PEM}keystore.private-key=file:${encryptedKey(made, PASSWORD)}`,
        `${PEM}keystore.private-key-password=\${SECRET}`,
      ],
    ],
    [
      'PEM text in an environment variable',
      () => [`${PEM}keystore.certificate=\${CERTIFICATE}`, `${PEM}keystore.private-key=file:${made.key}`],
    ],
  ])('presents the certificate of %s and logs neither its password nor a warning', async (_, args) => {
    const env = { SECRET: PASSWORD, CERTIFICATE: made.pem, TZ: 'UTC' };
    const service = await start([BY_NAME, ...args()], { env });

    expect((await overHttp1(service.url, '/actuator/health', { ca: made.pem })).status).toBe(200);
    expect(service.stdout).not.toContain(PASSWORD);
    expect(service.troubles.join()).not.toContain('ssl');
  });

  it('a separate management listener uses no TLS', async () => {
    const service = await start([...pemArgs(made), '--management.server.port=0']);

    expect(service.managementUrl).toMatch(/^http:/);
    expect((await fetch(`${service.managementUrl ?? ''}/health`)).status).toBe(200);
    expect((await overHttp1(service.url, '/actuator/health', { ca: made.pem })).status).toBe(404);
  });

  it('profile prod with TLS serves no OpenAPI document and keeps management on a separate listener', async () => {
    const env = {
      APP_PROFILES_ACTIVE: 'prod',
      DB_URL: 'jdbc:sqlite:./prod.db',
      DB_USERNAME: 'none',
      DB_PASSWORD: 'none',
      PUBLIC_URL: 'https://login.example',
      SEAL_KEY: randomBytes(32).toString('base64'),
      BACKUP_CODE_PEPPER: randomBytes(32).toString('base64'),
    };
    const service = await start([...pemArgs(made), '--management.server.port=0'], { env });
    const statuses = await Promise.all(
      ['/', '/me', '/openapi.json', '/docs', '/actuator/health'].map(async (path) => {
        const { status, headers } = await overHttp1(service.url, path, { ca: made.pem });
        return [path, status, headers['strict-transport-security'] !== undefined];
      }),
    );

    expect(statuses).toEqual([
      ['/', 303, true],
      ['/me', 401, true],
      ['/openapi.json', 404, true],
      ['/docs', 404, true],
      ['/actuator/health', 404, true],
    ]);
    expect(service.managementUrl).toMatch(/^http:/);
    expect([service.stderr, service.troubles]).toEqual(['', []]);
  });

  it('the origin check over TLS uses X-Forwarded-Host and X-Forwarded-Proto of a proxy', async () => {
    const { url } = await start(pemArgs(made));
    const fromPage = (headers: Readonly<Record<string, string>>): Promise<SecureAnswer> =>
      overHttp1(url, '/login', {
        method: 'POST',
        headers: { ...JSON_BODY, origin: 'https://login.example', ...headers },
        body: '{"id":"nobody","pw":"wrong"}',
        ca: made.pem,
      });

    const named = await fromPage({ 'x-forwarded-host': 'login.example' });
    const others = await Promise.all([
      fromPage({}),
      fromPage({ 'x-forwarded-host': 'evil.example' }),
      fromPage({ 'x-forwarded-host': 'login.example', 'x-forwarded-proto': 'http' }),
      fromPage({ forwarded: 'host=login.example' }),
    ]);

    expect(bodyOf(named)['code']).toBe('INVALID_CREDENTIALS');
    expect(others.map((answer) => bodyOf(answer)['code'])).toEqual(Array(4).fill('CROSS_SITE'));
  });

  it('starts with warnings about an expired certificate and a key that others may read', async () => {
    const old = makeCertificate({ days: 1 });
    chmodSync(old.key, 0o644);
    const clock = new MovedClock();
    clock.advance(2 * 86_400);

    const service = await start(pemArgs(old), { nodeArguments: clock.nodeArguments });

    expect(service.troubles.join('\n')).toMatch(
      /^WARN The certificate \(CN=login\.test\) has expired: it was valid until .* \(certificate bundle "web"\)$/m,
    );
    expect(service.troubles.join('\n')).toMatch(
      /^WARN Configuration rule security: \S+\.private-key = .*; Mode: 644; Reason: every user has access\. /m,
    );
    expect(await nameShown(service.url)).toBe('login.test');
  });

  // At once, since each test waits for seconds until the files are quiet.
  describe.concurrent('certificate reload with reload-on-update', { timeout: 60_000 }, () => {
    const follow = (from: Pick<MadeCertificate, 'certificate' | 'key'>): readonly string[] => [
      ...pemArgs(from),
      `${PEM}reload-on-update=true`,
    ];

    async function startReloading({ onTestFinished }: TestContext, options: ServiceOptions): Promise<RunningService> {
      const service = await startService(options);
      onTestFinished(() => service.release());
      return service;
    }

    function replace(own: MadeCertificate, by: MadeCertificate): void {
      for (const name of ['tls.crt', 'tls.key']) {
        copyFileSync(join(by.folder, name), join(own.folder, `${name}.new`));
        renameSync(join(own.folder, `${name}.new`), join(own.folder, name));
      }
    }

    it('new connections get a new certificate, and an unusable one is ignored', async (test) => {
      const own = makeCertificate({ name: 'first.test' });
      const service = await startReloading(test, { args: follow(own) });
      const old = await handshake(service.url, { ca: own.pem });

      writeFileSync(own.certificate, 'nonsense');
      await waitUntil('the service rejects the changed files', () =>
        service.troubles.join().includes('the old certificate stays in use'),
      );
      const meanwhile = await nameShown(service.url);
      replace(own, makeCertificate({ name: 'second.test' }));
      const shown = await waitUntil('the service presents the new certificate', async () => {
        const name = await nameShown(service.url);
        return name === 'first.test' ? undefined : name;
      });

      expect([meanwhile, shown]).toEqual(['first.test', 'second.test']);
      old.write('GET /actuator/health HTTP/1.1\r\nHost: login.test\r\nConnection: close\r\n\r\n');
      expect(await wholeText(old)).toMatch(/^HTTP\/1\.1 200 /);
      expect(service.stdout.match(/the old certificate stays in use/g)).toHaveLength(1);
      await waitUntil('the log reports the new certificate', () =>
        service.log.some((line) =>
          /^INFO .*Reloaded the certificate bundle "web"; its certificate is valid until /.test(line),
        ),
      );
      expect(service.stdout).toContain('keystore.certificate: Set it to certificates in PEM form');
    });

    it('C9: an expired certificate does not replace a valid one', async (test) => {
      const own = makeCertificate({ name: 'first.test' });
      const service = await startReloading(test, { args: follow(own) });

      replace(own, makeCertificate({ name: 'second.test', days: -1 }));
      const line = await warned(service, 0);

      expect(line).toContain('has expired');
      expect(await nameShown(service.url)).toBe('first.test');
      replace(own, makeCertificate({ name: 'third.test' }));
      await waitUntil('the service presents the next one', async () => (await nameShown(service.url)) === 'third.test');
    });

    /** The first warning about a rejected reload after the given number of warnings. */
    const warned = (service: RunningService, since: number): Promise<string> =>
      waitUntil('the service rejects the changed files', () =>
        service.troubles.slice(since).find((line) => /^WARN .*the old certificate stays in use: /.test(line)),
      );

    it('the old certificate stays in use, with one warning for each unusable change of its files', async (test) => {
      const own = makeCertificate({ name: 'first.test' });
      const other = makeCertificate({ name: 'second.test' });
      const service = await startReloading(test, { args: follow(own) });
      const changes: readonly [string, () => void, RegExp][] = [
        [
          'half written',
          () => {
            writeFileSync(own.certificate, other.pem.slice(0, 300));
          },
          /no certificate in PEM form/,
        ],
        [
          'removed',
          () => {
            rmSync(own.certificate);
          },
          /ENOENT/,
        ],
        [
          'of another key',
          () => {
            copyFileSync(other.certificate, own.certificate);
          },
          /private-key/,
        ],
      ];

      for (const [what, change, reason] of changes) {
        const since = service.troubles.length;
        change();
        expect(await warned(service, since), what).toMatch(reason);
        expect(await nameShown(service.url), what).toBe('first.test');
      }
      copyFileSync(other.key, own.key);

      await waitUntil(
        'the service presents the new certificate',
        async () => (await nameShown(service.url)) === 'second.test',
      );
      expect(service.stdout.match(/the old certificate stays in use/g)).toHaveLength(changes.length);
    });

    it('a PKCS12 file is reloaded unless it is broken or has another password', async (test) => {
      const own = makeCertificate({ name: 'first.test' });
      const other = makeCertificate({ name: 'second.test' });
      const [store, otherStore] = [keyStore(own, PASSWORD), keyStore(other, PASSWORD)];
      const strange = keyStore(makeCertificate(), 'another password');
      const args = [BY_NAME, `${STORE}keystore.location=${store}`, `${STORE}keystore.password=\${SECRET}`];
      const service = await startReloading(test, {
        args: [...args, `${STORE}reload-on-update=true`],
        env: { SECRET: PASSWORD },
      });

      for (const bytes of [readFileSync(otherStore).subarray(0, 500), readFileSync(strange)]) {
        const since = service.troubles.length;
        writeFileSync(store, bytes);
        await warned(service, since);
        expect(await nameShown(service.url)).toBe('first.test');
      }
      copyFileSync(otherStore, store);

      await waitUntil(
        'the service presents the new certificate',
        async () => (await nameShown(service.url)) === 'second.test',
      );
      expect(service.stdout).not.toContain(PASSWORD);
    });

    it('a certificate in a mounted Kubernetes secret is reloaded', async (test) => {
      const mount = temporaryFolder('mount');
      const publish = (name: string): void => {
        const version = join(mount, `..${name}`);
        mkdirSync(version);
        const { certificate, key } = makeCertificate({ name });
        copyFileSync(certificate, join(version, 'tls.crt'));
        copyFileSync(key, join(version, 'tls.key'));
        symlinkSync(`..${name}`, join(mount, '..data_tmp'));
        renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
      };
      publish('first.test');
      for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(mount, name));
      const service = await startReloading(test, {
        args: follow({ certificate: join(mount, 'tls.crt'), key: join(mount, 'tls.key') }),
      });

      expect(await nameShown(service.url)).toBe('first.test');
      publish('second.test');

      await waitUntil(
        'the service presents the new certificate',
        async () => (await nameShown(service.url)) === 'second.test',
      );
    });
  });

  it('an unusable bundle prevents startup, and the report names cause, origin and action but no secret', async () => {
    const key = encryptedKey(made, PASSWORD);
    const folder = temporaryFolder('refused');
    writeFileSync(
      join(folder, 'application.yml'),
      [
        'server.ssl.bundle: web',
        'app.ssl.bundle.pem.web.keystore:',
        `  certificate: file:${made.certificate}`,
        `  private-key: file:${key}`,
        '  private-key-password: ${SECRET}',
      ].join('\n'),
    );

    const { exitCode, stderr, stdout } = await runService({ cwd: folder, env: { SECRET: 'wrong word' } });

    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('ready');
    // By chance, a wrong password decrypts the key to a valid padding; then the code is that of a damaged key.
    const report = stderr.slice(stderr.indexOf('Description:')).replace(/ERR_OSSL_\w+/, 'ERR_OSSL_*');
    expect(report).toBe(`Description:

One problem:

1. The certificate bundle "web" of server.ssl.bundle cannot be used
     Property: app.ssl.bundle.pem.web.keystore.private-key-password
     File:     ${key}
     Origin:   file [application.yml] - 5:25
     Reason:   the password does not open the private key (ERR_OSSL_*)

Action:

1. app.ssl.bundle.pem.web.keystore.private-key-password: Correct the password, or the file of the private key.
`);
    expect(stderr).not.toContain('wrong word');
  });

  it.each<[string, () => readonly string[], string]>([
    ['an undefined bundle', () => ['--server.ssl.bundle=wbe', ...pemArgs(made).slice(1)], 'Did you mean "web"?'],
    ['a bundle name without any bundle', () => [BY_NAME], 'Reason:   no bundle is defined'],
    [
      'a missing certificate file',
      () => pemArgs({ ...made, certificate: '/nowhere/tls.crt' }),
      'there is no such file (ENOENT)',
    ],
    [
      'an unknown cipher suite',
      () => [...pemArgs(made), `${PEM}options.ciphers=TLS_AES_256_GCM_SHA384,RC4-MD5`],
      'Reason:   no cipher suite that is known here',
    ],
    [
      'an insecure version of TLS',
      () => [...pemArgs(made), `${PEM}options.enabled-protocols=TLSv1.1,TLSv1.3`],
      'they are broken (RFC 8996)',
    ],
    [
      'a PEM file in place of a trust store',
      () => [BY_NAME, `${STORE}truststore.location=${made.certificate}`],
      'it is not a complete PKCS12 file',
    ],
  ])('%s prevents startup', async (_, args, text) => {
    const { exitCode, stderr, stdout } = await runService({ args: args() });

    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('ready');
    expect(stderr).toContain(text);
  });
});
