import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { loadServiceConfiguration } from '../../src/apps/server/service-configuration.js';
import { Loggers } from '../../src/observability/logging/loggers.js';
import { Meters } from '../../src/observability/metrics/meters.js';
import type { OutboundFailure } from '../../src/platform/outbound/outbound-failure.js';
import { OutboundHttp } from '../../src/platform/outbound/outbound-http.service.js';
import { ForwardProxyServer } from '../support/http/forward-proxy.js';
import { SEAL_KEY } from './keys/examples.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../src/resources/', import.meta.url));
const LOOPBACK = '--app.http.client.allowed-addresses=127.0.0.0/8,::1';
/** Also hosts of this machine are called through the proxy. */
const PROXY_ALL = '-Dhttp.nonProxyHosts=none.invalid';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

type Variables = Readonly<Record<string, string>>;

/** Calls of a service with these arguments and variables, without packaged files unless `packageFolder` is given. */
function configured(args: readonly string[], variables: Variables = {}, packageFolder?: string): OutboundHttp {
  const workingFolder = temporaryFolder('outbound-keys');
  const inputs = { args, variables, workingFolder, packageFolder: packageFolder ?? workingFolder };
  const http = OutboundHttp.of(loadServiceConfiguration(inputs), new Meters(), new Loggers());
  ended.push(() => http.close());
  return http;
}

async function call(http: OutboundHttp, url: string): Promise<string> {
  try {
    const response = await http.request({ client: 'webhook', url, reach: 'public', totalMillis: 30_000 });
    return `${response.status} ${String(await response.read(1000))}`;
  } catch (error) {
    return (error as OutboundFailure).code;
  }
}

/** The URL of a server on this machine. */
async function served(answer: RequestListener = (_, response) => void response.end('fine')): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => server.close());
  ended.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function proxy(): Promise<ForwardProxyServer> {
  const server = await new ForwardProxyServer().start();
  ended.push(() => server.stop());
  return server;
}

const system = (scheme: 'http' | 'https', { port }: ForwardProxyServer): readonly string[] => [
  `-D${scheme}.proxyHost=127.0.0.1`,
  `-D${scheme}.proxyPort=${port}`,
  PROXY_ALL,
];

describe('app.http.client', () => {
  it('connect-timeout limits a connection', async () => {
    const silent = createTcpServer((socket) => ended.push(() => socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    ended.push(() => silent.close());
    const { port } = silent.address() as AddressInfo;

    expect(
      await call(configured([LOOPBACK, '--app.http.client.connect-timeout=50ms']), `https://127.0.0.1:${port}/`),
    ).toBe('CONNECT_TIMEOUT');
  });

  it('read-timeout limits the wait for a response', async () => {
    const url = await served(() => undefined);

    expect(await call(configured([LOOPBACK, '--app.http.client.read-timeout=50ms']), url)).toBe('READ_TIMEOUT');
  });

  it('allowed-addresses decides which internal addresses are called; without files, none is', async () => {
    const url = await served();

    expect(await call(configured([]), url)).toBe('ADDRESS_NOT_ALLOWED');
    expect(await call(configured(['--app.http.client.allowed-addresses=127.0.0.1']), url)).toBe('200 fine');
    expect(await call(configured([], { APP_HTTP_CLIENT_ALLOWEDADDRESSES: '10.0.0.0/8' }), url)).toBe(
      'ADDRESS_NOT_ALLOWED',
    );
  });

  it('allowed-addresses permits this machine as packaged, and nothing with profile prod', async () => {
    const url = await served();
    const prod = {
      ...{ APP_PROFILES_ACTIVE: 'prod', DB_URL: 'jdbc:mariadb://db/login', DB_USERNAME: 'login', DB_PASSWORD: 'pw' },
      ...{
        PUBLIC_URL: 'https://login.example.com',
        SEAL_KEY,
        BACKUP_CODE_PEPPER: 'a random text of thirty-two characters or more',
      },
    };

    expect(await call(configured([], {}, PACKAGE_FOLDER), url)).toBe('200 fine');
    expect(await call(configured([], prod, PACKAGE_FOLDER), url)).toBe('ADDRESS_NOT_ALLOWED');
  });
});

describe('a forward proxy', () => {
  it('-Dhttp.proxyHost and -Dhttp.proxyPort pass calls over http through it', async () => {
    const [server, url] = [await proxy(), await served()];

    expect(await call(configured([LOOPBACK, ...system('http', server)]), url)).toBe('200 fine');
    expect(server.calls).toEqual([`GET ${url}`]);
  });

  it('-Dhttps.proxyHost and -Dhttps.proxyPort pass calls over https through its tunnel, and none over http', async () => {
    const [server, url] = [await proxy(), await served()];
    const http = configured([LOOPBACK, ...system('https', server)]);
    server.mode = 'refuse';

    expect(await call(http, 'https://name.test/')).toBe('PROXY_REFUSED');
    expect(await call(http, url)).toBe('200 fine');
    expect(server.calls).toEqual(['CONNECT name.test:443']);
  });

  it('-Dhttp.nonProxyHosts excludes this machine by default', async () => {
    const [server, url] = [await proxy(), await served()];
    const [host = '', port = ''] = system('http', server);

    expect(await call(configured([LOOPBACK, host, port]), url)).toBe('200 fine');
    expect(server.calls).toEqual([]);
  });

  it.each([
    ['local*', true],
    ['*host', true],
    ['LOCALHOST', true],
    ['other|localhost', true],
    ['*', true],
    ['*.host', false],
    ['local', false],
    ['localhos.', false],
  ])('-Dhttp.nonProxyHosts=%s calls localhost directly: %s', async (hosts, isDirect) => {
    const [server, url] = [await proxy(), (await served()).replace('127.0.0.1', 'localhost')];
    const [host = '', port = ''] = system('http', server);

    expect(await call(configured([LOOPBACK, host, port, `-Dhttp.nonProxyHosts=${hosts}`]), url)).toBe('200 fine');
    expect(server.calls).toEqual(isDirect ? [] : [`GET ${url}`]);
  });

  it('HTTP_PROXY and HTTPS_PROXY name it with credentials, which are those of its scheme', async () => {
    const [plain, tunnel, url] = [await proxy(), await proxy(), await served()];
    tunnel.mode = 'refuse';
    const http = configured([LOOPBACK, PROXY_ALL], {
      HTTP_PROXY: `http://anna:one@127.0.0.1:${plain.port}`,
      HTTPS_PROXY: `http://anna:two@127.0.0.1:${tunnel.port}`,
    });

    expect([await call(http, url), await call(http, 'https://name.test/')]).toEqual(['200 fine', 'PROXY_REFUSED']);
    expect(plain.calls).toEqual([`GET ${url} Basic ${btoa('anna:one')}`]);
    expect(tunnel.calls).toEqual([`CONNECT name.test:443 Basic ${btoa('anna:two')}`]);
  });

  it('NO_PROXY excludes hosts besides those of http.nonProxyHosts', async () => {
    const [server, url] = [await proxy(), await served()];
    const variables = { HTTP_PROXY: `http://127.0.0.1:${server.port}` };

    expect(await call(configured([LOOPBACK, PROXY_ALL], { ...variables, NO_PROXY: 'a.test,127.0.0.1' }), url)).toBe(
      '200 fine',
    );
    expect(server.calls).toEqual([]);
    expect(await call(configured([LOOPBACK, PROXY_ALL], { ...variables, NO_PROXY: 'a.test' }), url)).toBe('200 fine');
    expect(server.calls).toEqual([`GET ${url}`]);
  });

  it('-Dhttp.proxyHost takes precedence over HTTP_PROXY', async () => {
    const [named, other, url] = [await proxy(), await proxy(), await served()];
    const variables = { HTTP_PROXY: `http://127.0.0.1:${other.port}` };

    expect(await call(configured([LOOPBACK, ...system('http', named)], variables), url)).toBe('200 fine');
    expect([named.calls, other.calls]).toEqual([[`GET ${url}`], []]);
  });

  it('fails calls only while it is stopped or hangs', async () => {
    const [server, url] = [await proxy(), await served()];
    const http = configured([LOOPBACK, ...system('http', server), '--app.http.client.read-timeout=3s']);
    const results = [await call(http, url)];
    await server.stop();
    results.push(await call(http, url));
    await server.start();
    results.push(await call(http, url));
    server.mode = 'silent';
    results.push(await call(http, url));
    server.mode = 'pass';
    results.push(await call(http, url));

    expect(results).toEqual(['200 fine', 'ECONNREFUSED', '200 fine', 'READ_TIMEOUT', '200 fine']);
  });
});
