import { isIP } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { Forwarding, type ForwardStrategy } from './forwarding.js';

type Headers = Readonly<Record<string, string>>;

/** The properties of a request as handlers see them. */
interface Seen {
  readonly ip: string;
  readonly protocol: string;
  readonly host: string;
}

const PROXY = '10.0.0.1';
const STRANGER = '203.0.113.66';
const CALLER = '198.51.100.7';

function listener(strategy: Exclude<ForwardStrategy, 'none'>): FastifyInstance {
  const forwarding = new Forwarding(strategy);
  const app = fastify({ trustProxy: forwarding.isProxy });
  app.addHook('onRequest', (request, _reply, done) => {
    forwarding.tidy(request.raw);
    done();
  });
  app.get('/', ({ ip, protocol, host }): Seen => ({ ip, protocol, host }));
  afterAll(() => app.close());
  return app;
}

const listeners = { native: listener('native'), framework: listener('framework') };

async function seen(strategy: 'native' | 'framework', peer: string, headers: Headers): Promise<Seen> {
  const answer = await listeners[strategy].inject({
    url: '/',
    remoteAddress: peer,
    headers: { host: 'inner:8080', ...headers },
  });
  return answer.json();
}

const PARTS: Headers = {
  'x-forwarded-for': CALLER,
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'login.example',
  'x-forwarded-port': '8443',
};
const ALL: Headers = { ...PARTS, forwarded: 'for=192.0.2.9;proto=https;host=other.example' };

describe('the strategy native', () => {
  it('trusts X-Forwarded-* of a proxy in a private network, and ignores Forwarded', async () => {
    for (const peer of [PROXY, '::ffff:10.0.0.1', '::1', 'fd00::1', '127.0.0.1']) {
      expect(await seen('native', peer, ALL), peer).toEqual({
        ip: CALLER,
        protocol: 'https',
        host: 'login.example:8443',
      });
    }
  });

  it('T8: ignores the headers of all other peers', async () => {
    for (const peer of [STRANGER, '2001:db8::66', '::ffff:203.0.113.66', '11.0.0.1']) {
      expect(await seen('native', peer, ALL), peer).toEqual({ ip: peer, protocol: 'http', host: 'inner:8080' });
    }
  });

  it.each([
    ['one proxy', CALLER, CALLER],
    ['several proxies', `${CALLER}, 10.0.0.2, 192.168.1.1`, CALLER],
    ['a forged part left of the caller', `192.0.2.1, ${CALLER}`, CALLER],
    ['a forged private part left of the caller', `127.0.0.1, 10.0.0.9, ${CALLER}, 10.0.0.2`, CALLER],
    ['private addresses alone', '10.1.2.3, 10.0.0.2', '10.1.2.3'],
    ['a port', `${CALLER}:51234`, CALLER],
    ['IPv6 in capitals, with port', '[2001:DB8::7]:51234', '2001:db8::7'],
    ['IPv4 as IPv6', `::ffff:${CALLER}`, CALLER],
    ['a word in place of an address', 'unknown', PROXY],
    ['a word left of a proxy', `${CALLER}, unknown, 10.0.0.2`, '10.0.0.2'],
    ['markup as the last entry', `${CALLER}, <script>`, PROXY],
    ['an empty entry', `${CALLER}, ,10.0.0.2`, '10.0.0.2'],
    ['an empty entry at the end', `${CALLER},`, PROXY],
    ['no content', '', PROXY],
    ['spaces', '  ', PROXY],
    ['10,000 forged entries', `${'192.0.2.1,'.repeat(10_000)}${CALLER}`, CALLER],
    ['10,000 empty entries', ','.repeat(10_000), PROXY],
    ['control characters', `${CALLER}\u0001`, PROXY],
    ['other characters', '\u00e9\u00ff', PROXY],
    ['a number', '3405803783', PROXY],
  ])('reads X-Forwarded-For with %s', async (_, value, ip) => {
    expect((await seen('native', PROXY, { 'x-forwarded-for': value })).ip).toBe(ip);
  });

  it.each([
    ['https', 'https'],
    ['HTTPS', 'https'],
    ['http', 'http'],
    ['http, https', 'https'],
    ['https, http', 'http'],
    ['', 'http'],
    ['wss', 'http'],
    ['https\u0001', 'http'],
    ['https;', 'http'],
    ['https, ', 'http'],
  ])('reads X-Forwarded-Proto: %j as %s', async (value, protocol) => {
    expect((await seen('native', PROXY, { 'x-forwarded-proto': value })).protocol).toBe(protocol);
  });

  it.each<readonly [string, Headers, string]>([
    ['a host', { 'x-forwarded-host': 'Login.Example' }, 'login.example'],
    ['a host with port', { 'x-forwarded-host': 'login.example:8443' }, 'login.example:8443'],
    ['a host with port, and another port', { 'x-forwarded-host': 'a:8443', 'x-forwarded-port': '443' }, 'a:8443'],
    ['a port', { host: 'login.example', 'x-forwarded-port': '8443' }, 'login.example:8443'],
    ['the usual port of http', { host: 'login.example', 'x-forwarded-port': '80' }, 'login.example'],
    [
      'the usual port of https',
      { 'x-forwarded-host': 'login.example:443', 'x-forwarded-proto': 'https' },
      'login.example',
    ],
    ['two hosts', { 'x-forwarded-host': 'evil.example, login.example' }, 'login.example'],
    ['a bad port', { 'x-forwarded-host': 'login.example', 'x-forwarded-port': '0' }, 'login.example'],
    ['markup in the host', { 'x-forwarded-host': 'evil.example/"><script>' }, 'inner:8080'],
    ['user information', { 'x-forwarded-host': 'login.example@evil.example' }, 'inner:8080'],
    ['an empty host', { 'x-forwarded-host': '' }, 'inner:8080'],
    ['no header', {}, 'inner:8080'],
  ])('reads the host from headers with %s', async (_, headers, host) => {
    expect((await seen('native', PROXY, headers)).host).toBe(host);
  });

  it('T8: takes the address that the proxy adds, whatever the caller sends', async () => {
    const forged = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from(' ,.:[]"\\;=_%1afx0\u00ff')), maxLength: 40 }),
      fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('127.0.0.1', '10.0.0.1', '::1', ''))).map(String),
    );
    const proxies = fc.array(fc.constantFrom('10.0.0.2', 'fd00::2', '[fd00::3]:80', '192.168.1.1:443'), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(forged, proxies, async (left, right) => {
        const value = [left, CALLER, ...right].join(', ');
        expect((await seen('native', PROXY, { 'x-forwarded-for': value })).ip).toBe(CALLER);
      }),
    );
  });
});

describe('the strategy framework', () => {
  it('trusts X-Forwarded-* of every peer', async () => {
    const headers = { ...PARTS, 'x-forwarded-for': `${CALLER}, ${STRANGER}` };

    for (const peer of [PROXY, STRANGER, '2001:db8::66']) {
      expect(await seen('framework', peer, headers), peer).toEqual({
        ip: CALLER,
        protocol: 'https',
        host: 'login.example:8443',
      });
    }
  });

  it('uses the scheme and the host of the first proxy', async () => {
    const headers = { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'login.example, inner' };

    expect(await seen('framework', STRANGER, headers)).toMatchObject({ protocol: 'https', host: 'login.example' });
  });

  it.each<readonly [string, string, Partial<Seen>]>([
    ['all', 'for=192.0.2.9;proto=https;host=a.example', { ip: '192.0.2.9', protocol: 'https', host: 'a.example' }],
    ['a port of the host', 'host="a.example:8443"', { ip: STRANGER, protocol: 'http', host: 'a.example:8443' }],
    ['IPv6 with port', 'for="[2001:DB8::9]:4711"', { ip: '2001:db8::9' }],
    ['several elements', 'for=192.0.2.9, for=198.51.100.1;proto=https', { ip: '192.0.2.9', protocol: 'https' }],
    ['the first scheme and host', 'proto=https;host=a, proto=http;host=b', { protocol: 'https', host: 'a' }],
    ['an unknown first address', 'for=unknown, for=192.0.2.9', { ip: '192.0.2.9' }],
    ['an obfuscated address', 'for=_hidden', { ip: STRANGER }],
    ['an element without an address', 'for=192.0.2.9, proto=https', { ip: STRANGER, protocol: 'https' }],
    ['another scheme', 'for=192.0.2.9;proto=wss', { ip: '192.0.2.9', protocol: 'http' }],
    ['nothing', '', { ip: STRANGER, protocol: 'http', host: 'inner:8080' }],
    ['a malformed part', 'for=192.0.2.9;proto=https, for=', { ip: STRANGER, protocol: 'http', host: 'inner:8080' }],
  ])('prefers Forwarded with %s to X-Forwarded-*', async (_, forwarded, expected) => {
    expect(await seen('framework', STRANGER, { ...ALL, forwarded })).toMatchObject(expected);
  });
});

it.each(['native', 'framework'] as const)(
  'the strategy %s always yields a valid address, scheme and host',
  async (strategy) => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from(' ,.:[]"\\;=_%<>@/1afx0\t\u0001\u00ff')), maxLength: 30 }),
      fc.constantFrom('https', 'login.example', CALLER, '[2001:db8::1]', '8443', `for=${CALLER}`, 'for=x;proto=https'),
    );
    const headers = fc.dictionary(fc.constantFrom(...Object.keys(ALL)), text);
    await fc.assert(
      fc.asyncProperty(headers, fc.constantFrom(PROXY, STRANGER), async (sent, peer) => {
        const { ip, protocol, host } = await seen(strategy, peer, sent);

        expect(isIP(ip)).toBeGreaterThan(0);
        expect(['http', 'https']).toContain(protocol);
        expect(host).toMatch(/^(?:[a-z\d](?:[\w.-]*[a-z\d.])?|\[[\da-f:.]+\])(?::\d+)?$/);
      }),
    );
  },
);

describe('the forwarding of a connection', () => {
  function tidied(headers: Headers, isEncrypted = false): Readonly<Record<string, unknown>> {
    const request = { headers: { ...headers }, socket: { remoteAddress: PROXY, encrypted: isEncrypted } };
    new Forwarding('native').tidy(request);
    return request.headers;
  }

  it('omits the port 443 from the host with TLS', () => {
    const headers = { host: 'login.example', 'x-forwarded-port': '443' };

    expect(tidied(headers, true)['x-forwarded-host']).toBe('login.example');
    expect(tidied(headers)['x-forwarded-host']).toBe('login.example:443');
  });

  it('trusts no header without a peer address, as after a disconnect', () => {
    expect(new Forwarding('framework').isProxy(undefined)).toBe(false);
  });
});
