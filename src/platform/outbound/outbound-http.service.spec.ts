import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../test/support/http/certificates.js';
import { needs } from '../../../test/support/runner/needs.js';
import { readings } from '../../../test/support/management/meter-readings.js';
import { outboundHttp } from '../../../test/support/http/outbound.js';
import { ForwardProxyServer } from '../../../test/support/http/forward-proxy.js';
import { Duration } from '../../config/bind/duration.js';
import { Meters } from '../../observability/metrics/meters.js';
import type { Lookup } from './connector.js';
import type { OutboundFailure } from './outbound-failure.js';
import type { OutboundHttp, OutboundRequest } from './outbound-http.service.js';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** The URL of a server that responds with `answer`. */
async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  ended.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}/a?b=c`;
}

const ok = (_: IncomingMessage, response: ServerResponse): void => void response.end('fine');

async function call(http: OutboundHttp, url: string, more: Partial<OutboundRequest> = {}): Promise<string> {
  ended.push(() => http.close());
  try {
    const response = await http.request({ client: 'webhook', url, reach: 'public', totalMillis: 30_000, ...more });
    return `${response.status} ${String(await response.read(1000))}`;
  } catch (error) {
    return (error as OutboundFailure).code;
  }
}

/** Resolves every name to the addresses in turn. */
function names(...answers: readonly string[]): { readonly lookup: Lookup; readonly resolved: string[] } {
  const resolved: string[] = [];
  const lookup = (name: string, _: unknown, callback: (error: null, addresses: unknown) => void): void => {
    const address = answers[Math.min(resolved.length, answers.length - 1)];
    resolved.push(name);
    callback(null, [{ address, family: 4 }]);
  };
  return { lookup: lookup as unknown as Lookup, resolved };
}

const client = (limits: { connect?: number; read?: number; allowed?: readonly string[] }) => ({
  connectTimeout: Duration.ofMillis(limits.connect ?? 20_000),
  readTimeout: Duration.ofMillis(limits.read ?? 20_000),
  ...(limits.allowed && { allowedAddresses: limits.allowed }),
});

describe('limits of an outgoing call', () => {
  it('app.http.client.connect-timeout ends a call whose TLS handshake gets no response', async () => {
    const port = await listening(createTcpServer((socket) => ended.push(() => socket.destroy())));

    expect(await call(outboundHttp({ client: client({ connect: 50 }) }), `https://127.0.0.1:${port}/`)).toBe(
      'CONNECT_TIMEOUT',
    );
  });

  it('app.http.client.connect-timeout includes the look-up of the name', async () => {
    const lookup = (() => undefined) as unknown as Lookup;

    expect(await call(outboundHttp({ client: client({ connect: 50 }), lookup }), 'http://name.test/')).toBe(
      'CONNECT_TIMEOUT',
    );
  });

  it('app.http.client.read-timeout ends a call whose response does not begin', async () => {
    const url = await served(() => undefined);

    expect(await call(outboundHttp({ client: client({ read: 50 }) }), url)).toBe('READ_TIMEOUT');
  });

  it('app.http.client.read-timeout ends a call whose response stops between two parts', async () => {
    const url = await served((_, response) => void response.write('part'));

    expect(await call(outboundHttp({ client: client({ read: 50 }) }), url)).toBe('READ_TIMEOUT');
  });

  it('the total limit ends a call whose parts each arrive in time', async () => {
    const url = await served((_, response) => {
      const timer = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(timer));
    });

    expect(await call(outboundHttp(), url, { totalMillis: 100 })).toBe('TOTAL_TIMEOUT');
  });

  it('a body that is longer than its limit ends the call', async () => {
    expect(await call(outboundHttp(), await served((_, response) => void response.end('x'.repeat(1001))))).toBe(
      'TOO_LARGE',
    );
  });

  it('a call that its caller ends fails with ABORTED', async () => {
    expect(await call(outboundHttp(), await served(ok), { signal: AbortSignal.abort() })).toBe('ABORTED');
  });

  it('a redirect is not followed', async () => {
    const url = await served((_, response) => void response.writeHead(302, { location: '/other' }).end());

    expect(await call(outboundHttp(), url)).toBe('302 ');
  });
});

describe('the guard of internal addresses', () => {
  const strict = { client: client({ allowed: [] }) };

  it('a URL with an internal address is refused before a connection', async () => {
    const resolved: string[] = [];
    const url = await served(({ url: path }, response) => void response.end(resolved.push(path ?? '')));

    expect(await call(outboundHttp(strict), url)).toBe('ADDRESS_NOT_ALLOWED');
    expect(await call(outboundHttp(strict), url.replace('127.0.0.1', '0x7f.1'))).toBe('ADDRESS_NOT_ALLOWED');
    expect(await call(outboundHttp(strict), url.replace('127.0.0.1', '[::ffff:7f00:1]'))).toBe('ADDRESS_NOT_ALLOWED');
    expect(resolved).toEqual([]);
  });

  it('a name with an internal address is refused', async () => {
    const { lookup } = names('127.0.0.1');
    const url = (await served(ok)).replace('127.0.0.1', 'name.test');

    expect(await call(outboundHttp({ ...strict, lookup }), url)).toBe('ADDRESS_NOT_ALLOWED');
  });

  it('a name is resolved once, so a second answer of DNS cannot replace the checked address', async () => {
    const { lookup, resolved } = names('127.0.0.1', '127.0.0.2');
    const url = (await served(ok)).replace('127.0.0.1', 'name.test');
    const allowed = client({ allowed: ['127.0.0.1'] });

    expect(await call(outboundHttp({ client: allowed, lookup }), url)).toBe('200 fine');
    expect(resolved).toEqual(['name.test']);
  });

  it.each([['127.0.0.0/8'], ['name.test'], ['*.test']])(
    'the entry %s of app.http.client.allowed-addresses allows the name',
    async (entry) => {
      const { lookup } = names('127.0.0.1');
      const url = (await served(ok)).replace('127.0.0.1', 'name.test');

      expect(await call(outboundHttp({ client: client({ allowed: [entry] }), lookup }), url)).toBe('200 fine');
    },
  );

  it('a call that may reach any address needs no entry', async () => {
    expect(await call(outboundHttp(strict), await served(ok), { reach: 'any' })).toBe('200 fine');
  });

  it('through a forward proxy, a URL with an internal address is refused, too', async () => {
    const proxy = await new ForwardProxyServer().start();
    ended.push(() => proxy.stop());

    expect(await call(outboundHttp({ ...strict, http: proxy.settings }), await served(ok))).toBe('ADDRESS_NOT_ALLOWED');
    expect(proxy.calls).toEqual([]);
  });
});

describe('a forward proxy', () => {
  const proxied = async (more = {}, limits = {}): Promise<{ proxy: ForwardProxyServer; http: OutboundHttp }> => {
    const proxy = await new ForwardProxyServer().start();
    ended.push(() => proxy.stop());
    const settings = { ...proxy.settings, ...more };
    return { proxy, http: outboundHttp({ client: client(limits), http: settings, https: settings }) };
  };

  it('gets the whole URL and its credentials for http; the target does not get the credentials', async () => {
    const { proxy, http } = await proxied({ authorization: 'Basic eDp5' });
    const url = await served((request, response) => void response.end(request.headers.host));

    expect(await call(http, url)).toBe(`200 ${new URL(url).host}`);
    expect(proxy.calls).toEqual([`GET ${url} Basic eDp5`]);
  });

  it('gets a CONNECT with its credentials for https', async () => {
    const { proxy, http } = await proxied({ authorization: 'Basic eDp5' });
    proxy.mode = 'refuse';

    expect(await call(http, 'https://name.test/')).toBe('PROXY_REFUSED');
    expect(proxy.calls).toEqual(['CONNECT name.test:443 Basic eDp5']);
  });

  needs('openssl')('with a certificate', () => {
    it('passes https through its tunnel, where the certificate of the target is verified', async () => {
      const { proxy, http } = await proxied();
      const { certificate, key } = makeCertificate();
      const port = await listening(createTlsServer({ cert: readFileSync(certificate), key: readFileSync(key) }, ok));

      expect(await call(http, `https://127.0.0.1:${port}/`)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(proxy.calls).toEqual([`CONNECT 127.0.0.1:${port}`]);
    });
  });

  it('ends the call after the connect timeout if it does not respond to CONNECT', async () => {
    const { proxy, http } = await proxied({}, { connect: 300 });
    proxy.mode = 'silent';

    expect(await call(http, 'https://name.test/')).toBe('CONNECT_TIMEOUT');
  });

  it('fails calls while it is stopped, and is used again once it is back', async () => {
    const { proxy, http } = await proxied();
    const url = await served(ok);
    await proxy.stop();
    expect(await call(http, url)).toBe('ECONNREFUSED');
    await proxy.start();

    expect(await call(http, url)).toBe('200 fine');
  });
});

describe('the timer http.client.requests', () => {
  const measured = async (
    url: (served: string) => string,
    more: Parameters<typeof outboundHttp>[0] = {},
  ): Promise<readonly string[]> => {
    const meters = new Meters();
    const http = outboundHttp({ meters, ...more });
    await call(http, url(await served((_, response) => void response.end('x'.repeat(1001)))));
    return Object.keys(readings(meters, 'http.client.requests'));
  };

  it('records a call once its body was read, with the failure of the body', async () => {
    expect(await measured((url) => url)).toEqual(['webhook GET none 200 SUCCESS TOO_LARGE TOO_LARGE']);
  });

  it('records a call without a response by its failure', async () => {
    const forbidden = { client: client({ allowed: [] }) };

    expect(await measured((url) => url, forbidden)).toEqual([
      'webhook GET none IO_ERROR UNKNOWN ADDRESS_NOT_ALLOWED ADDRESS_NOT_ALLOWED',
    ]);
    expect(await measured(() => 'not a URL')).toEqual([
      'webhook GET none IO_ERROR UNKNOWN ERR_INVALID_URL ERR_INVALID_URL',
    ]);
  });

  it('records a response that is discarded', async () => {
    const meters = new Meters();
    const http = outboundHttp({ meters });
    ended.push(() => http.close());
    const url = await served((_, response) => void response.writeHead(404).end());
    const response = await http.request({ client: 'console', method: 'POST', url, reach: 'any', totalMillis: 30_000 });
    const before = readings(meters, 'http.client.requests');
    await response.discard();

    expect(before).toEqual({});
    expect(readings(meters, 'http.client.requests')).toEqual({ 'console POST none 404 CLIENT_ERROR none none': 1 });
  });
});
