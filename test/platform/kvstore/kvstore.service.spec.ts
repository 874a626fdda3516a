import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { keyStore, makeCertificate } from '../../support/http/certificates.js';
import { Door } from '../../support/programs/door.js';
import { freePort } from '../../support/programs/free-port.js';
import { at, kvstoreOf } from '../../support/database/kvstore.js';
import { needs } from '../../support/runner/needs.js';
import { ask, type RedisOptions, type RedisServer, startRedis, startSentinel } from '../../support/database/redis.js';
import { BundleFiles } from '../../support/http/tls-bundle.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { type Kvstore, Script } from '../../../src/platform/kvstore/kvstore.service.js';

const LOST = 'WARN The key-value store does not respond';
const BACK = 'INFO The key-value store responds again';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function redis(options: RedisOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options);
  endings.push(() => server.stop());
  return server;
}

function client(keys: readonly string[], others: readonly string[] = []) {
  const made = kvstoreOf(keys, others);
  endings.push(() => made.kvstore.onApplicationShutdown());
  return made;
}

async function untilBack(kvstore: Kvstore): Promise<void> {
  await waitUntil('the store responds', () =>
    kvstore.send('PING').then(
      () => true,
      () => false,
    ),
  );
}

describe('the key-value store', () => {
  it('is not used without a host and without sentinels', () => {
    const { kvstore, meters } = client(['port=6380']);

    expect(kvstore.isConfigured).toBe(false);
    expect(meters.find('kvstore.command')).toBeUndefined();
  });

  it('sentinels that refuse connections fail every command, with one line in the log', async () => {
    const nodes = `127.0.0.1:${await freePort()}`;
    const { kvstore, log } = client(['sentinel.master=login', `sentinel.nodes=${nodes}`, 'timeout=200ms']);

    for (let times = 0; times < 3; times++) await expect(kvstore.send('PING')).rejects.toThrow();

    expect(log.messages).toEqual([LOST]);
  });

  it('a store that refuses connections fails every command at once, with one line in the log', async () => {
    const { kvstore, log } = client([...at({ port: await freePort() }), 'timeout=1m']);

    for (let times = 0; times < 3; times++) await expect(kvstore.send('PING')).rejects.toThrow(/ECONNREFUSED/);

    expect(log.messages).toEqual([LOST]);
  });
});

describe('the end of the key-value store', () => {
  it('does not wait for a first connection, and no command opens another one', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    endings.push(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const { kvstore, log } = client([...at({ port }), 'ssl.enabled=true', 'timeout=10m']);
    const command = Promise.allSettled([kvstore.send('PING')]);
    await once(silent, 'connection');

    await kvstore.onApplicationShutdown();

    expect(await command).toMatchObject([{ status: 'rejected' }]);
    await expect(kvstore.send('PING')).rejects.toThrow('closed');
    expect(log.messages).toEqual([]);
  });
});

needs('redis')('a key-value store that responds', () => {
  it('runs commands, and a program also after the store has forgotten it', async () => {
    const server = await redis();
    const { kvstore, meters } = client(at(server));
    const script = new Script('double', "return redis.call('GET', KEYS[1]) * ARGV[1]");
    await kvstore.send('SET', 'n', 21);

    const first = await kvstore.run(script, ['n'], [2]);
    await ask(server.port, 'SCRIPT FLUSH');
    const second = await kvstore.run(script, ['n'], [3]);

    expect([first, second]).toEqual([42, 63]);
    expect(meters.find('kvstore.command')?.series.map(({ tags }) => tags)).toEqual([
      { command: 'SET', outcome: 'success' },
      { command: 'double', outcome: 'success' },
    ]);
  });

  it('a password and the number of a database are used', async () => {
    const server = await redis({ password: 'word' });
    const one = client([...at(server), 'password=word', 'database=3']);
    const other = client([...at(server), 'password=word']);

    await one.kvstore.send('SET', 'key', 'here');

    expect(await one.kvstore.send('GET', 'key')).toBe('here');
    expect(await other.kvstore.send('GET', 'key')).toBeNull();
  });

  it('a username is used', async () => {
    const server = await redis({ args: ['--user', 'anna', 'on', '>word', '~*', '+@all'] });
    const { kvstore, log } = client([...at(server), 'username=anna', 'password=word']);

    expect(await kvstore.send('PING')).toBe('PONG');

    // Redis closes the connections of a deleted user.
    await ask(server.port, 'ACL DELUSER anna');
    await waitUntil('the connection was that of the user', () => log.messages.includes(LOST));
  });

  it('a wrong password fails commands, and the log names the reason without the password', async () => {
    const server = await redis({ password: 'word' });
    const { kvstore, log } = client([...at(server), 'username=anna', 'password=open-sesame']);

    await expect(kvstore.send('PING')).rejects.toThrow(/WRONGPASS/);

    expect(log.texts.join('\n')).toContain(LOST.slice(5));
    expect(log.texts.join('\n')).not.toContain('open-sesame');
  });

  it('a store that responds late, but within the timeout, is waited for', async () => {
    const server = await redis();
    const { kvstore, log } = client([...at(server), 'timeout=1m']);
    await kvstore.send('PING');
    await ask(server.port, 'CLIENT PAUSE 300');

    expect(await kvstore.send('SET', 'key', 'late')).toBe('OK');
    expect(log.messages).toEqual([]);
  });
});

needs('redis')('a key-value store that fails', () => {
  it('a store that is stopped with open connections fails commands after the timeout, and is used again later', async () => {
    const server = await redis();
    const { kvstore, log } = client([...at(server), 'timeout=2s']);
    await kvstore.send('PING');

    server.signal('SIGSTOP');
    await expect(kvstore.send('PING')).rejects.toThrow();
    await waitUntil('the connection is given up', () => log.messages.includes(LOST));
    const whileStopped = kvstore.send('PING');
    await expect(whileStopped).rejects.toThrow();
    server.signal('SIGCONT');
    await untilBack(kvstore);

    expect(log.messages).toEqual([LOST, BACK]);
  });

  it('a store that accepts connections but never completes TLS is given up after connect-timeout', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    endings.push(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const { kvstore } = client([...at({ port }), 'ssl.enabled=true', 'timeout=1m', 'connect-timeout=200ms']);

    await expect(kvstore.send('PING')).rejects.toThrow(/ETIMEDOUT/);
  });

  it('a store that vanishes without closing the connection fails commands after the timeout', async () => {
    const server = await redis();
    const door = new Door({ host: server.host, port: server.port });
    await door.open();
    endings.push(() => door.shut());
    const { kvstore, log } = client([...at(door), 'timeout=2s']);
    await kvstore.send('PING');

    door.fallSilent();
    await expect(kvstore.send('PING')).rejects.toThrow();
    await waitUntil('the connection is given up', () => log.messages.includes(LOST));
    await door.shut();
    await door.open();
    await untilBack(kvstore);

    expect(log.messages).toEqual([LOST, BACK]);
  });

  it('a store that became read-only has one line in the log, however often its connection is replaced', async () => {
    const primary = await redis();
    const server = await redis({ args: ['--replicaof', primary.host, String(primary.port)] });
    const { kvstore, log } = client(at(server));
    const write = (): Promise<string> =>
      kvstore.send('SET', 'key', 'value').then(
        () => 'written',
        (error: unknown) => String(error),
      );

    for (let refused = 0; refused < 3; refused++) {
      await waitUntil('the write is refused', async () => (await write()).includes('READONLY'));
      await waitUntil('the connection is replaced', async () => !(await write()).includes('READONLY'));
    }

    expect(log.messages).toEqual([LOST]);
  });

  it('a store that is restarted is used again, and no command is repeated', async () => {
    const server = await redis();
    const { kvstore, log } = client(at(server));
    await kvstore.send('SET', 'key', 'before');

    await server.stop();
    await waitUntil('the loss is reported', () => log.messages.includes(LOST));
    await expect(kvstore.send('SET', 'key', 'meanwhile')).rejects.toThrow();
    await redis({ port: server.port });
    await untilBack(kvstore);

    expect(await kvstore.send('GET', 'key')).toBeNull();
    expect(log.messages).toEqual([LOST, BACK]);
  });
});

needs('redis', 'openssl')('a key-value store with TLS', () => {
  const trusting = (file: string): readonly string[] => [
    `--app.ssl.bundle.pem.store.truststore.certificate=file:${file}`,
  ];

  it('is verified with the authority of the bundle', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const server = await redis({ tls: makeCertificate({ name: 'store', signedBy: authority }) });
    const { kvstore } = client([...at(server), 'ssl.bundle=store'], trusting(authority.certificate));

    expect(await kvstore.send('PING')).toBe('PONG');
  });

  it('A11: is not used if another authority signed its certificate, or if it names another host', async () => {
    const [authority, stranger] = [makeCertificate({ name: 'authority' }), makeCertificate({ name: 'stranger' })];
    const foreign = await redis({ tls: makeCertificate({ signedBy: stranger }) });
    const elsewhere = await redis({ tls: makeCertificate({ names: 'DNS:elsewhere.test', signedBy: authority }) });

    for (const server of [foreign, elsewhere]) {
      const { kvstore } = client([...at(server), 'ssl.bundle=store'], trusting(authority.certificate));
      await expect(kvstore.send('PING')).rejects.toThrow();
    }
  });

  it('is verified with a PKCS12 trust store', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const server = await redis({ tls: makeCertificate({ name: 'store', signedBy: authority }) });
    const bundle = '--app.ssl.bundle.jks.store.truststore';
    const store = keyStore(authority, 'changeit', ['-nokeys']);
    const { kvstore } = client(
      [...at(server), 'ssl.bundle=store'],
      [`${bundle}.location=${store}`, `${bundle}.password=changeit`],
    );

    expect(await kvstore.send('PING')).toBe('PONG');
  });

  it('gets the certificate of the bundle, if it requires one', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const tls = makeCertificate({ name: 'store', signedBy: authority });
    const server = await redis({
      tls,
      args: ['--tls-auth-clients', 'yes', '--tls-ca-cert-file', authority.certificate],
    });
    const files = new BundleFiles(authority);
    const unknown = client([...at(server), 'ssl.bundle=partner'], files.args);
    await expect(unknown.kvstore.send('PING')).rejects.toThrow();

    files.identify(makeCertificate({ name: 'login', signedBy: authority }));
    const { kvstore } = client([...at(server), 'ssl.bundle=partner'], files.args);

    expect(await kvstore.send('PING')).toBe('PONG');
  });

  it('is verified with new authorities after a change of the files, which invalid files do not replace', async () => {
    const [old, next] = [makeCertificate({ name: 'old' }), makeCertificate({ name: 'next' })];
    const files = new BundleFiles(old);
    const server = await redis({ tls: makeCertificate({ signedBy: old }) });
    const { kvstore, log } = client([...at(server), 'ssl.bundle=partner'], files.args);
    await kvstore.send('PING');
    await server.stop();
    const { port } = server;
    const renewed = await redis({ port, tls: makeCertificate({ signedBy: next }) });
    await expect(kvstore.send('PING')).rejects.toThrow();

    files.trust(next);
    await untilBack(kvstore);
    files.damage();
    const refused = 'WARN The changed files of a certificate bundle cannot be used; the old ones stay in use';
    await waitUntil('the change is refused', () => log.messages.includes(refused));
    await renewed.stop();
    await redis({ port, tls: makeCertificate({ signedBy: next }) });
    await untilBack(kvstore);

    expect(log.messages).toContain('INFO Reloaded a certificate bundle for new connections');
  });

  it('is used once the files of the bundle can be read, if they could not be at first', async () => {
    const authority = makeCertificate({ name: 'authority' });
    const files = new BundleFiles(authority);
    const server = await redis({ tls: makeCertificate({ signedBy: authority }) });
    const { kvstore, log } = client([...at(server), 'ssl.bundle=partner'], files.args);
    files.damage();
    for (let times = 0; times < 2; times++) await expect(kvstore.send('PING')).rejects.toThrow(/bundle "partner"/);

    files.trust(authority);

    expect(await kvstore.send('PING')).toBe('PONG');
    expect(log.messages).toEqual([LOST, BACK]);
  });

  it('is verified with the authorities of the runtime if no bundle is named', async () => {
    const server = await redis({ tls: makeCertificate() });
    const { kvstore } = client([...at(server), 'ssl.enabled=true']);

    await expect(kvstore.send('PING')).rejects.toThrow(/self-signed/);
  });
});

needs('redis')('a key-value store behind sentinels', () => {
  it('is found with the credentials of the sentinels, and not without them', async () => {
    const primary = await redis();
    const lines = ['user anna on >word allchannels +@all', 'user default off'];
    const sentinel = await startSentinel('login', primary, undefined, lines);
    endings.push(() => sentinel.stop());
    const keys = ['sentinel.master=login', `sentinel.nodes=127.0.0.1:${sentinel.port}`];
    const known = client([...keys, 'timeout=30s', 'sentinel.username=anna', 'sentinel.password=word']);
    const unknown = client([...keys, 'timeout=1s', 'sentinel.username=anna', 'sentinel.password=other']);

    expect(await known.kvstore.send('PING')).toBe('PONG');
    await expect(unknown.kvstore.send('PING')).rejects.toThrow();
    expect(unknown.log.texts.join('\n')).not.toContain('other');
  });

  it('the new primary is used after a fail-over, without a restart', async () => {
    const primary = await redis({ password: 'word' });
    const replica = await redis({ password: 'word', args: ['--replicaof', primary.host, String(primary.port)] });
    const sentinel = await startSentinel('login', primary, 'word');
    endings.push(() => sentinel.stop());
    const keys = ['sentinel.master=login', `sentinel.nodes=127.0.0.1:${sentinel.port}`, 'password=word'];
    const { kvstore, log } = client([...keys, 'timeout=5s']);
    await kvstore.send('SET', 'key', 'here');
    const copy = client([...at(replica), 'password=word']);
    await waitUntil('the replica has the value', async () => (await copy.kvstore.send('GET', 'key')) === 'here');
    const watcher = client(at(sentinel));
    await waitUntil('the sentinel knows the replica', async () =>
      String(await watcher.kvstore.send('INFO', 'sentinel')).includes('slaves=1'),
    );

    await primary.stop();
    await waitUntil(
      'the new primary takes writes',
      () =>
        kvstore.send('SET', 'key', 'there').then(
          () => true,
          () => false,
        ),
      { limitMillis: 30_000 },
    );

    expect(await copy.kvstore.send('GET', 'key')).toBe('there');
    expect(log.messages).toEqual([LOST, BACK]);
  });
});
