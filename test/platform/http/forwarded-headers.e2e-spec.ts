import { describe, expect, it } from 'vitest';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { type LoginStory, type Person, storyOn } from '../../support/login/login-story.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { type Engine, onSqlite } from '../../support/database/story-database.js';

type Headers = Readonly<Record<string, string>>;

/** Address of the proxy, which is in a private network. */
const PROXY = '127.9.9.9';
/** Address that the service sees for a connection from 127.203.113.66 (public-peers-preload.ts). */
const PUBLIC_ADDRESS = '203.0.113.66';
const HSTS = 'strict-transport-security';
/** Number of failures far above the free ones. */
const RUN = 25;

function storyWith(engine: Engine, strategy: string): LoginStory {
  return storyOn(engine, {
    people: 20,
    throttled: true,
    args: [`--server.forward-headers-strategy=${strategy}`],
    nodeArguments: ['--import', new URL('../../support/programs/public-peers-preload.ts', import.meta.url).href],
  });
}

/** A client behind a proxy that names it. */
function behindProxy(story: LoginStory, headers: Headers): HttpClient {
  const client = story.client();
  client.address = PROXY;
  Object.assign(client.headers, headers);
  return client;
}

function publicClient(story: LoginStory, headers: Headers): HttpClient {
  const client = behindProxy(story, headers);
  client.address = PUBLIC_ADDRESS.replace('203.0.113', '127.203.113');
  return client;
}

/** The address in the last event of a new login. */
async function addressSeen(story: LoginStory, client: HttpClient): Promise<unknown> {
  const { accessToken: bearer } = await story.signInByPassword(story.person(), client);
  const { body } = await client.get('/me/events', { bearer });
  const [event] = body['items'] as readonly { readonly ip: string }[];
  return event?.ip;
}

function guess(client: HttpClient, { id }: Pick<Person, 'id'>, headers: Headers = {}): Promise<Answer> {
  return client.post('/login', { id, pw: 'wrong' }, { headers });
}

/** Sends wrong passwords until the rate limit applies. */
async function slowDown(client: HttpClient, person: Pick<Person, 'id'>): Promise<void> {
  for (let tries = 0; tries < RUN; tries += 1) await guess(client, person);
  expect(await guess(client, person)).toBeRefused(429, 'RATE_LIMITED');
}

/** Response to a login that a page of that origin sends. */
function fromPage(client: HttpClient, origin: string): Promise<Answer> {
  return client.post('/login', { id: 'nobody', pw: 'wrong' }, { headers: { origin } });
}

const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'login.example' };

onSqlite('server.forward-headers-strategy=native', (engine) => {
  const story = storyWith(engine, 'native');

  it('events and sessions record the client address from X-Forwarded-For', async () => {
    const client = behindProxy(story, { 'x-forwarded-for': '198.51.100.1' });
    const { accessToken: bearer } = await story.signInByPassword(story.person(), client);

    const [events, sessions] = [await client.get('/me/events', { bearer }), await client.get('/sessions', { bearer })];

    for (const { body } of [events, sessions]) expect(body['items']).toMatchObject([{ ip: '198.51.100.1' }]);
  });

  it.each([
    ['through several proxies', '198.51.100.2, 10.0.0.1, 192.168.0.1', '198.51.100.2'],
    ['with a forged entry on the left', '192.0.2.1, 127.0.0.1, 198.51.100.3', '198.51.100.3'],
    ['with a port', '198.51.100.4:50123', '198.51.100.4'],
    ['with an IPv6 address', '[2001:DB8::4]:443', '2001:db8::4'],
    ['without an address', 'unknown', PROXY],
    ['with a script', '<script>alert(1)</script>', PROXY],
    ['with an invalid entry in the middle', '198.51.100.5, nonsense, 10.0.0.1', '10.0.0.1'],
    ['with 5,000 forged entries', `${'::,'.repeat(5_000)}198.51.100.6`, '198.51.100.6'],
    ['with empty entries', ',,', PROXY],
  ])('events record the resolved client address for X-Forwarded-For %s', async (_, sent, seen) => {
    expect(await addressSeen(story, behindProxy(story, { 'x-forwarded-for': sent }))).toBe(seen);
  });

  it('T8: a client with a public address cannot choose its address', async () => {
    const client = publicClient(story, { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' });

    expect(await addressSeen(story, client)).toBe(PUBLIC_ADDRESS);
  });

  it('P3: two callers behind one proxy are rate limited separately', async () => {
    const person = story.person();
    const [attacker, owner] = ['198.51.100.10', '198.51.100.11'].map((ip) =>
      behindProxy(story, { 'x-forwarded-for': ip }),
    ) as [HttpClient, HttpClient];

    await slowDown(attacker, person);

    expect(await guess(owner, person)).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(await story.login(person, owner)).toBeAnswered(200);
  });

  it('T8: an address forged left of the one from the proxy neither evades nor shifts the rate limit', async () => {
    const person = story.person();
    const victim = '198.51.100.21';
    const attacker = behindProxy(story, { 'x-forwarded-for': '198.51.100.20' });
    await slowDown(attacker, person);

    for (const forged of [victim, '192.0.2.1', '10.0.0.1', '127.0.0.1', 'unknown', '"', '', '::1, 192.0.2.2']) {
      const headers = { 'x-forwarded-for': `${forged}, 198.51.100.20` };
      expect(await guess(attacker, person, headers), forged).toBeRefused(429, 'RATE_LIMITED');
    }
    for (const same of ['198.51.100.20:1234', '::ffff:198.51.100.20', '[::ffff:c633:6414]:80']) {
      expect(await guess(attacker, person, { 'x-forwarded-for': same }), same).toBeRefused(429, 'RATE_LIMITED');
    }
    for (let tries = 0; tries < RUN; tries += 1) {
      await guess(attacker, person, { 'x-forwarded-for': `${victim}, 198.51.100.20` });
    }
    expect(await guess(behindProxy(story, { 'x-forwarded-for': victim }), person)).toBeAnswered(401);
  });

  it('T8: a client with a public address neither evades nor shifts the rate limit by forged headers', async () => {
    const person = story.person();
    const victim = '198.51.100.31';
    const attacker = publicClient(story, {});
    await slowDown(attacker, person);

    for (let tries = 0; tries < RUN; tries += 1) {
      const ip = tries % 2 === 0 ? victim : `192.0.2.${tries}`;
      const headers = { 'x-forwarded-for': ip, forwarded: `for=${ip}`, 'x-real-ip': ip };
      expect(await guess(attacker, person, headers), ip).toBeRefused(429, 'RATE_LIMITED');
    }
    expect(await guess(behindProxy(story, { 'x-forwarded-for': victim }), person)).toBeAnswered(401);
  });

  it('Strict-Transport-Security is sent only if a trusted proxy reports https, on errors too', async () => {
    for (const path of ['/', '/portal/login', '/me', '/nowhere', '/?a=%zz']) {
      const [safe, plain] = [await behindProxy(story, HTTPS).get(path), await behindProxy(story, {}).get(path)];
      expect(safe.headers.get(HSTS), path).toBe('max-age=31536000; includeSubDomains');
      expect(plain.headers.get(HSTS), path).toBeNull();
    }
    for (const scheme of ['http', 'wss', 'https,http', 'x', '']) {
      const { headers } = await behindProxy(story, { 'x-forwarded-proto': scheme }).get('/');
      expect(headers.get(HSTS), scheme).toBeNull();
    }
    expect((await publicClient(story, HTTPS).get('/')).headers.get(HSTS)).toBeNull();
  });

  describe('S5: own origin without a public URL', () => {
    it('S5: without a public URL, the origin that the proxy names is accepted', async () => {
      expect(await fromPage(behindProxy(story, HTTPS), 'https://login.example')).toBeAnswered(401);
      const withPort = { ...HTTPS, 'x-forwarded-port': '8443' };
      expect(await fromPage(behindProxy(story, withPort), 'https://login.example:8443')).toBeAnswered(401);
      const usualPort = { ...HTTPS, 'x-forwarded-port': '443' };
      expect(await fromPage(behindProxy(story, usualPort), 'https://login.example')).toBeAnswered(401);
    });

    it.each(['http://login.example', 'https://login.example:444', 'https://evil.example', 'null'])(
      'S5: without a public URL, the origin %s is rejected',
      async (origin) => {
        expect(await fromPage(behindProxy(story, HTTPS), origin)).toBeRefused(403, 'CROSS_SITE');
      },
    );

    it('S5: an origin named by an untrusted client or through an invalid host is rejected', async () => {
      const origin = 'https://evil.example';
      const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
      expect(await fromPage(publicClient(story, forged), origin)).toBeRefused(403, 'CROSS_SITE');
      for (const host of ['a@evil.example', 'evil.example/', ' evil.example:x', 'evil.example, login.example']) {
        const answer = await fromPage(behindProxy(story, { ...HTTPS, 'x-forwarded-host': host }), origin);
        expect(answer, host).toBeRefused(403, 'CROSS_SITE');
      }
    });
  });

  it('H9: no response contains a value of a forwarded header', async () => {
    const forged = {
      'x-forwarded-for': 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'evil-scheme',
      'x-forwarded-port': '64321',
      'x-forwarded-prefix': '/evil.example',
    };
    for (const path of ['/', '/me', '/nowhere', '/.well-known/jwks.json', '/actuator/health']) {
      const { status, headers, text } = await behindProxy(story, forged).get(path);
      expect([200, 303, 401, 404], path).toContain(status);
      expect(JSON.stringify([...headers]) + text, path).not.toMatch(/evil\.example|evil-scheme|64321/);
    }
  });
});

onSqlite('server.forward-headers-strategy=none', (engine) => {
  const story = storyWith(engine, 'none');
  const forged = { ...HTTPS, 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1;proto=https' };

  it('events record the address of the connection with strategy none', async () => {
    expect(await addressSeen(story, behindProxy(story, forged))).toBe(PROXY);
    expect(await addressSeen(story, publicClient(story, forged))).toBe(PUBLIC_ADDRESS);
  });

  it('T8: with strategy none the rate limit uses the address of the connection', async () => {
    const person = story.person();
    await slowDown(behindProxy(story, forged), person);

    const other = behindProxy(story, { 'x-forwarded-for': '198.51.100.2' });

    expect(await guess(other, person)).toBeRefused(429, 'RATE_LIMITED');
  });

  it('scheme and host from forwarded headers are ignored with strategy none', async () => {
    const client = behindProxy(story, forged);

    expect((await client.get('/')).headers.get(HSTS)).toBeNull();
    expect(await fromPage(client, 'https://login.example')).toBeRefused(403, 'CROSS_SITE');
    expect(await fromPage(client, story.service.url)).toBeAnswered(401);
  });
});

onSqlite('server.forward-headers-strategy=framework', (engine) => {
  const story = storyWith(engine, 'framework');

  it.each<readonly [string, Headers, string]>([
    ['X-Forwarded-For', { 'x-forwarded-for': '198.51.100.1, 203.0.113.5' }, '198.51.100.1'],
    ['Forwarded', { forwarded: 'for=198.51.100.2;proto=https, for=203.0.113.5' }, '198.51.100.2'],
    ['Forwarded with IPv6', { forwarded: 'For="[2001:DB8::2]:4711"' }, '2001:db8::2'],
    [
      'Forwarded before X-Forwarded-For',
      { forwarded: 'for=198.51.100.3', 'x-forwarded-for': '192.0.2.1' },
      '198.51.100.3',
    ],
    [
      'an obfuscated Forwarded header (peer address)',
      { forwarded: 'for=_hidden', 'x-forwarded-for': '192.0.2.1' },
      PUBLIC_ADDRESS,
    ],
    [
      'a malformed Forwarded header (peer address)',
      { forwarded: 'for=198.51.100.4, for="', 'x-forwarded-for': '192.0.2.1' },
      PUBLIC_ADDRESS,
    ],
  ])('events record the address from %s of any peer with strategy framework', async (_, headers, seen) => {
    expect(await addressSeen(story, publicClient(story, headers))).toBe(seen);
  });

  it('P3: two callers of one peer are rate limited separately', async () => {
    const person = story.person();
    await slowDown(publicClient(story, { forwarded: 'for=198.51.100.10' }), person);

    const owner = publicClient(story, { forwarded: 'for=198.51.100.11' });

    expect(await guess(owner, person)).toBeRefused(401, 'INVALID_CREDENTIALS');
  });

  it('scheme and host come from Forwarded, or from X-Forwarded headers without it, with strategy framework', async () => {
    for (const headers of [{ forwarded: 'proto=https;host=login.example' }, HTTPS]) {
      const client = publicClient(story, headers);
      expect((await client.get('/')).headers.get(HSTS)).toContain('max-age');
      expect(await fromPage(client, 'https://login.example')).toBeAnswered(401);
      expect(await fromPage(client, 'https://evil.example')).toBeRefused(403, 'CROSS_SITE');
    }
  });

  it.each([
    ['Forwarded', 'Forwarded: for=198.51.100.5\r\nForwarded: for=203.0.113.5;proto=https'],
    ['X-Forwarded-For', 'X-Forwarded-For: 198.51.100.5\r\nX-Forwarded-For: 203.0.113.5'],
  ])('several %s header lines form one list', async (_, lines) => {
    const person = story.person();
    const body = JSON.stringify({ id: person.id, pw: person.password });
    const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;

    const { statuses } = await sendRaw(story.service.url, `POST /login HTTP/1.1\r\n${head}\r\n${lines}\r\n\r\n${body}`);

    expect(statuses).toEqual([200]);
    expect((await story.events(person)).map(({ ip }) => ip)).toEqual(['198.51.100.5']);
  });
});
