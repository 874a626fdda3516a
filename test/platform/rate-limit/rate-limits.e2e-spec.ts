import { describe, expect, it } from 'vitest';
import { ADMIN, Administrator, OTHERS } from '../../support/login/administrator.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';
import '../../support/runner/matchers.js';

const limit = (key: string, rate: string): string => `--app.security.rate-limit.${key}=${rate}`;
const HTML = { accept: 'text/html' };

function statuses(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ status }) => status);
}

async function times(count: number, send: () => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let done = 0; done < count; done += 1) answers.push(await send());
  return answers;
}

onSqlite('P3: limits of sign-in routes', (engine) => {
  const story = storyOn(engine, {
    args: [limit('sign-in.per-address', '3/1h'), limit('sign-in.per-id', '4/1h')],
  });
  let addresses = 1;

  function elsewhere(client = story.client()): HttpClient {
    addresses += 1;
    client.address = `127.0.1.${addresses}`;
    return client;
  }

  function guess(client: HttpClient, id: string, pw = 'wrong'): Promise<Answer> {
    return client.post('/login', { id, pw });
  }

  it('an address is told its limits, and gets 429 with Retry-After beyond them, for a right password too', async () => {
    const { id } = story.person();
    const client = elsewhere();

    const within = await times(3, () => guess(client, 'nobody'));
    const beyond = await guess(client, id, PASSWORD);
    const neighbour = await guess(elsewhere(), id, PASSWORD);

    expect(statuses(within)).toEqual([401, 401, 401]);
    expect(within[0]?.headers.get('ratelimit-policy')).toBe('"sign-in-address";q=3;w=3600, "sign-in-id";q=4;w=3600');
    expect(within[0]?.headers.get('ratelimit')).toMatch(/^"sign-in-address";r=2;t=\d+, "sign-in-id";r=3;t=\d+$/);
    expect(within[2]?.headers.get('ratelimit')).toMatch(/^"sign-in-address";r=0;t=\d+,/);
    expect(beyond).toBeRefused(429, 'RATE_LIMITED');
    expect(Number(beyond.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(neighbour.status).toBe(200);
  });

  it('addresses of one IPv6 /64 share a limit, as a trusted proxy names them', async () => {
    const from = (address: string): Promise<Answer> =>
      story
        .client()
        .post('/login', { id: `from-${address}`, pw: 'wrong' }, { headers: { 'x-forwarded-for': address } });

    const inside = [];
    for (const last of [1, 2, 3, 4]) inside.push(await from(`2001:db8:1:2::${last}`));
    const outside = await from('2001:db8:1:3::1');

    expect(statuses(inside)).toEqual([401, 401, 401, 429]);
    expect(outside.status).toBe(401);
  });

  it('a login id has one limit for all its spellings and from all addresses', async () => {
    const spelled = ['nora', 'NORA', ' nora ', 'Nora'];

    const within = [];
    for (const id of spelled) within.push(await guess(elsewhere(), id));

    expect(statuses(within)).toEqual([401, 401, 401, 401]);
    expect(await guess(elsewhere(), 'nOra')).toBeRefused(429, 'RATE_LIMITED');
  });

  it('the owner signs in from a known browser while an attacker uses up the limits of address and login id', async () => {
    const owner = await story.enrolled(story.person(), elsewhere());
    const { client } = await story.signIn(owner, elsewhere(owner.client.copy()));
    client.address = undefined;
    const attacker = story.client();
    const attacks = [];
    for (let turn = 0; turn < 6; turn += 1) attacks.push(await guess(attacker, owner.id));
    const stranger = await guess(elsewhere(), owner.id, PASSWORD);

    const known = await client.post('/login', { id: owner.id, pw: PASSWORD });

    expect(statuses(attacks)).toContain(429);
    expect(known.status).toBe(200);
    expect(known.headers.get('ratelimit-policy')).toBe('"sign-in-device";q=3;w=3600');
    expect([200, 429]).toContain(stranger.status);
  });

  it('the browser of another account has no count of its own for a login id', async () => {
    const insider = await story.enrolled(story.person(), elsewhere());
    const { client } = await story.signIn(insider, elsewhere(insider.client.copy()));
    elsewhere(client);

    const answers = await times(4, () => guess(client, 'somebody-else'));

    expect(statuses(answers)).toEqual([401, 401, 401, 429]);
    expect(answers[0]?.headers.get('ratelimit-policy')).toContain('"sign-in-address"');
  });

  it('a browser gets a page beyond the limit', async () => {
    const client = elsewhere();
    await times(3, () => client.get('/portal/login', { headers: HTML }));

    const page = await client.get('/portal/login', { headers: HTML });

    expect(page.status).toBe(429);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(page.text).toContain('RATE_LIMITED');
  });

  it('P3: an attacker whose address is used up cannot use up the limit of a login id', async () => {
    const { id } = story.person();
    const attacker = elsewhere();
    const attacks = await times(8, () => guess(attacker, id));

    const owner = await guess(elsewhere(), id, PASSWORD);

    expect(statuses(attacks)).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
    expect(attacks.at(-1)?.headers.get('ratelimit-policy')).toBe('"sign-in-address";q=3;w=3600');
    expect(owner.status).toBe(200);
  });

  it('X3: open routes have a packaged limit per address', async () => {
    const { status, headers } = await elsewhere().get('/.well-known/jwks.json');

    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"open-address";q=60000;w=60']);
  });

  it('an address is admitted again after its window has passed', async () => {
    const client = elsewhere();
    await times(4, () => guess(client, 'patient'));

    story.clock.advance(7200);

    expect((await guess(client, 'patient')).status).toBe(401);
  });
});

onSqlite('limits of other routes', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: {} },
    {
      args: [
        limit('sso.per-address', '2/1h'),
        limit('self-service.per-session', '5/1h'),
        limit('recovery.per-address', '2/1h'),
        limit('open.per-address', '2/1h'),
        limit('administration.per-session', 'off'),
      ],
    },
  );
  const { story } = staff;

  it('P3: a departure to an identity provider beyond the limit stores no request', async () => {
    const client = story.client();
    const rows = async (): Promise<number> => (await story.database.query('SELECT id FROM saml_request')).length;

    const answers = await times(4, () => client.get('/saml/corp/login'));

    expect(statuses(answers)).toEqual([303, 303, 429, 429]);
    expect(await rows()).toBe(2);
  });

  it('sessions have limits of their own, whatever their address', async () => {
    const [one, other] = [await story.signInByPassword(story.person()), await story.signInByPassword(story.person())];

    const answers = await times(6, () => one.client.get('/me', { bearer: one.accessToken }));

    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await other.client.get('/me', { bearer: other.accessToken })).status).toBe(200);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"self-service-session";q=5;w=3600');
  });

  it('a request without valid credentials does not use up the limit of a session', async () => {
    const { client, accessToken } = await story.signInByPassword(story.person());

    await times(8, () => client.get('/me', { bearer: `${accessToken}x` }));

    expect((await client.get('/me', { bearer: accessToken })).status).toBe(200);
  });

  it('groups are counted apart', async () => {
    const client = story.client();
    client.address = '127.0.2.1';

    const recovery = await times(3, () => client.post('/unlock', { token: 'unknown' }));
    const open = await times(3, () => client.get('/.well-known/jwks.json'));

    expect(statuses(recovery).at(-1)).toBe(429);
    expect(statuses(recovery).slice(0, 2)).not.toContain(429);
    expect(statuses(open)).toEqual([200, 200, 429]);
  });
});

onSqlite('P3: every other key of a limit', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    others: OTHERS,
    args: [
      limit('second-factor.per-address', '5/1h'),
      limit('second-factor.per-session', '3/1h'),
      limit('recovery.per-id', '2/1h'),
      limit('self-service.per-address', '2/1h'),
      limit('administration.per-address', '4/1h'),
      limit('administration.per-session', '2/1h'),
    ],
  });
  let addresses = 0;

  /** A client with an address and without cookies of its own. */
  function stranger(): HttpClient {
    const client = story.client();
    addresses += 1;
    client.address = `127.0.4.${addresses}`;
    return client;
  }

  function policyOf(answers: readonly Answer[]): string | null | undefined {
    return answers.at(-1)?.headers.get('ratelimit-policy');
  }

  it('second-factor.per-address counts codes and requests without credentials, from one address', async () => {
    const client = stranger();

    const answers = [
      ...(await times(3, () => client.post('/login/2fa', { mfa_token: 'unknown', code: '000000' }))),
      ...(await times(3, () => client.get('/2fa'))),
    ];

    expect(statuses(answers)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(policyOf(answers)).toBe('"second-factor-address";q=5;w=3600');
    expect((await stranger().get('/2fa')).status).toBe(401);
  });

  it('second-factor.per-session counts a session at all addresses, and no other session', async () => {
    const [one, other] = [await story.signInByPassword(story.person()), await story.signInByPassword(story.person())];

    const answers = await times(4, () => stranger().get('/2fa', { bearer: one.accessToken }));

    expect(statuses(answers)).toEqual([200, 200, 200, 429]);
    expect(policyOf(answers)).toBe('"second-factor-address";q=5;w=3600, "second-factor-session";q=3;w=3600');
    expect((await stranger().get('/2fa', { bearer: other.accessToken })).status).toBe(200);
  });

  it('second-factor.per-session counts an mfa_token that sets up a second factor', async () => {
    const bearer = await story.mfaToken({ id: ADMIN, password: PASSWORD });

    const answers = await times(4, () => stranger().get('/2fa/setup/qr.svg', { bearer }));

    expect(statuses(answers).slice(0, 3)).not.toContain(429);
    expect(answers[3]).toBeRefused(429, 'RATE_LIMITED');
  });

  it('recovery.per-id counts requests for a link with one login id, from all addresses', async () => {
    const answers = await times(3, () => stranger().post('/password/forgot', { id: 'nora' }));

    expect(statuses(answers).slice(0, 2)).not.toContain(429);
    expect(answers[2]).toBeRefused(429, 'RATE_LIMITED');
    expect(policyOf(answers)).toBe('"recovery-id";q=2;w=3600');
    expect((await stranger().post('/password/forgot', { id: 'anna' })).status).not.toBe(429);
  });

  it('self-service.per-address counts requests from one address', async () => {
    const client = stranger();

    const answers = await times(3, () => client.get('/me'));

    expect(statuses(answers)).toEqual([401, 401, 429]);
    expect(policyOf(answers)).toBe('"self-service-address";q=2;w=3600');
    expect((await stranger().get('/me')).status).toBe(401);
  });

  it('administration.per-address counts requests from one address', async () => {
    const client = stranger();

    const answers = await times(5, () => client.get('/admin/users'));

    expect(statuses(answers)).toEqual([401, 401, 401, 401, 429]);
    expect(policyOf(answers)).toBe('"administration-address";q=4;w=3600');
    expect((await stranger().get('/admin/users')).status).toBe(401);
  });

  it('administration.per-session counts the session of an administrator at all addresses', async () => {
    const { person } = await Administrator.of(story);

    const answers = await times(3, () => stranger().get('/admin/users', { bearer: person.accessToken }));

    expect(statuses(answers)).toEqual([200, 200, 429]);
    expect(policyOf(answers)).toBe('"administration-address";q=4;w=3600, "administration-session";q=2;w=3600');
  });
});

describe('the packaged limits', () => {
  onSqlite('an office behind one address', (engine) => {
    const story = storyOn(engine, { throttled: true });

    it('two hundred sign-ins in a minute are within the packaged limits', async () => {
      const { id } = story.person();

      const answers = await Promise.all(
        Array.from({ length: 200 }, () => story.client().post('/login', { id, pw: PASSWORD })),
      );

      expect(new Set(statuses(answers))).toEqual(new Set([200]));
    });
  });
});
