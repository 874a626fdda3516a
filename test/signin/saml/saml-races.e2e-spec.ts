import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { atOnce, outcomes, upTo } from '../../support/login/races.js';
import { MFA_CLASS, type Posted, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { roundsInTier } from '../../support/runner/tier.js';

const ROUNDS = roundsInTier(2, { inFull: 5 });
const REPLAYS = 50;
const BROWSERS = 20;
/** Milliseconds for all rounds of one race, on a machine that has other things to do. */
const PATIENTLY = { timeout: 120_000 };
const PUBLIC_URL = 'https://login.test';
const GROUPS = { Treasury: 'ROLE_TREASURY', Audit: 'ROLE_AUDIT', Desk: 'ROLE_DESK' } as const;

onEachEngine('R13, X9: staff sign-ins at two services that share a database', (engine) => {
  const staff = staffStoryOn(
    engine,
    {
      corp: {
        'roles.attribute': ROLES,
        ...Object.fromEntries(Object.entries(GROUPS).map(([group, role]) => [`roles.map[${group}]`, role])),
      },
      open: { 'idp-initiated': 'true' },
    },
    { services: 2, args: [`--app.security.public-url=${PUBLIC_URL}`] },
  );
  const { story } = staff;
  let nameCount = 0;
  const newName = (): string => {
    nameCount += 1;
    return `staff-${nameCount}`;
  };

  /** The same browser at the service with this number modulo the number of services. */
  function replica(browser: HttpClient, index: number): HttpClient {
    const same = staff.client(index % story.services.length);
    const mark = browser.cookie('saml_request');
    if (mark !== undefined) same.plant('saml_request', mark, '/saml');
    return same;
  }

  async function subjectOf(loginId: string): Promise<string> {
    return story.subjectOf({ id: loginId });
  }

  async function sessionsOf(loginId: string): Promise<number> {
    const sql = 'SELECT id FROM session WHERE user_id = ?';
    return (await story.database.query(sql, [await subjectOf(loginId)])).length;
  }

  async function sessions(): Promise<number> {
    return (await story.database.query('SELECT id FROM session')).length;
  }

  /** The number of new events by kind; ids of two services on one stopped clock have no common order. */
  async function eventsSince(known: ReadonlySet<string>): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const { id, kind, reason } of await samlEvents()) {
      if (known.has(id)) continue;
      const what = reason === null ? kind : `${kind} ${reason}`;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  }

  async function eventIds(): Promise<ReadonlySet<string>> {
    return new Set((await samlEvents()).map(({ id }) => id));
  }

  function samlEvents(): Promise<readonly { id: string; kind: string; reason: string | null }[]> {
    return story.database.query("SELECT id, kind, reason FROM security_event WHERE kind LIKE 'SAML%'");
  }

  /** All browsers start a sign-in first, and then deliver their responses at once. */
  async function arrivals(nameId: string, groupsOf: (index: number) => readonly string[]) {
    const browsers: { readonly client: HttpClient; readonly form: Posted }[] = [];
    for (const index of upTo(BROWSERS)) {
      const client = staff.client(index % story.services.length);
      const request = await staff.depart(client);
      const bent = { nameId, authnContextClassRef: MFA_CLASS, attributes: { [ROLES]: groupsOf(index) } };
      browsers.push({ client, form: staff.posted(staff.response(request, bent), request) });
    }
    const answers = await atOnce(BROWSERS, async (index) => {
      const browser = browsers[index];
      if (!browser) throw new Error('no browser');
      return staff.arrive(browser.client, browser.form);
    });
    return { answers, clients: browsers.map(({ client }) => client) };
  }

  const isSession = ({ status, cookies }: Answer): boolean =>
    status === 303 && cookies.some(({ name, value }) => name === 'SESSION' && value !== '');

  it('X9: 50 concurrent copies of one response create one session', PATIENTLY, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const nameId = newName();
      const browser = staff.client(round % 2);
      const request = await staff.depart(browser);
      const form = staff.posted(staff.response(request, { nameId, attributes: { [ROLES]: [] } }), request);
      const before = { sessions: await sessions(), events: await eventIds() };
      const tabs = upTo(REPLAYS).map((index) => replica(browser, index));

      const answers = await atOnce(REPLAYS, (index) => staff.arrive(tabs[index] ?? browser, form));

      expect(outcomes(answers)).toEqual({ 303: 1, SAML_RESPONSE_INVALID: REPLAYS - 1 });
      expect(answers.filter(isSession)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 303)) {
        expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
      }
      expect(await sessions()).toBe(before.sessions + 1);
      const { SAML_OK: taken, ...refused } = await eventsSince(before.events);
      expect(taken).toBe(1);
      const late = (refused['SAML_REJECTED request_used'] ?? 0) + (refused['SAML_REJECTED in_response_to'] ?? 0);
      expect(late, JSON.stringify(refused)).toBe(REPLAYS - 1);
    }
  });

  it('X9: 50 concurrent copies of one unsolicited response create one session', PATIENTLY, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const nameId = newName();
      const xml = staff.idp('open').response({
        acsUrl: `${PUBLIC_URL}/saml/open/acs`,
        audience: `${PUBLIC_URL}/saml/open/metadata`,
        now: story.clock.millis,
        nameId,
      });
      const form = staff.posted(xml, { relayState: undefined });
      const before = { sessions: await sessions(), events: await eventIds() };

      const answers = await atOnce(REPLAYS, (index) => staff.arrive(staff.client(index % 2), form, 'open'));

      expect(outcomes(answers)).toEqual({ 303: 1, SAML_RESPONSE_INVALID: REPLAYS - 1 });
      expect(await sessions()).toBe(before.sessions + 1);
      expect(await sessionsOf(`open:${nameId}`)).toBe(1);
      expect(await eventsSince(before.events)).toEqual({ SAML_OK: 1, 'SAML_REJECTED replay': REPLAYS - 1 });
    }
  });

  it('X15: 20 concurrent first sign-ins of one user create one account', PATIENTLY, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const nameId = newName();

      const { answers, clients } = await arrivals(nameId, () => ['Desk']);

      expect(outcomes(answers)).toEqual({ 303: BROWSERS });
      const [who, ...others] = await story.database.query<{ user_id: string; logins: number }>(
        'SELECT user_id, logins FROM staff_identity WHERE person = ?',
        [nameId],
      );
      expect(others).toEqual([]);
      expect(who).toEqual({ user_id: await subjectOf(`corp:${nameId}`), logins: BROWSERS });
      const accounts = await story.database.query("SELECT id FROM account WHERE login_id LIKE 'corp:%' AND id = ?", [
        String(who?.user_id),
      ]);
      expect(accounts).toHaveLength(1);
      expect(await sessionsOf(`corp:${nameId}`)).toBe(BROWSERS);
      expect(await story.countOf({ id: `corp:${nameId}` }, 'USER_CREATED')).toBe(1);
      const subjects = await Promise.all(clients.map(async (client) => (await client.get('/me')).body['sub']));
      expect(new Set(subjects)).toEqual(new Set([who?.user_id]));
    }
  });

  it(
    'X15: concurrent sign-ins of one user with different roles end with the roles of one of them',
    PATIENTLY,
    async () => {
      const sets = [['Treasury'], ['Audit', 'Desk'], ['Desk'], []] as const;
      const wanted = sets.map((groups) => groups.map((group) => GROUPS[group]).toSorted());
      for (let round = 0; round < ROUNDS; round += 1) {
        const nameId = newName();

        const { answers, clients } = await arrivals(nameId, (index) => sets[index % sets.length] ?? []);

        expect(outcomes(answers)).toEqual({ 303: BROWSERS });
        const sql = 'SELECT roles FROM account WHERE id = ?';
        const [row] = await story.database.query<{ roles: string }>(sql, [await subjectOf(`corp:${nameId}`)]);
        const roles = row?.roles === '' ? [] : (row?.roles.split(',') ?? ['none stored']);
        expect(wanted).toContainEqual(roles);
        const live = [];
        for (const client of clients) if ((await client.get('/me')).status === 200) live.push(client);
        expect(live).not.toEqual([]);
        for (const client of live) expect(decodeJwt(await staff.accessToken(client))).toMatchObject({ roles });
      }
    },
  );

  it('X8: a response to a request of one service is accepted at the other', async () => {
    for (const asking of [0, 1]) {
      const browser = staff.client(asking);
      const request = await staff.depart(browser, '?return_to=/portal/accounts');
      expect(request.acsUrl).toBe(`${PUBLIC_URL}/saml/corp/acs`);
      const other = replica(browser, asking + 1);
      const form = staff.posted(staff.response(request, { nameId: newName() }), request);

      const answer = await staff.arrive(other, form);

      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('/portal/accounts');
      const back = staff.client(asking);
      back.plant('SESSION', other.cookie('SESSION') ?? '');
      expect(await back.get('/me')).toBeAnswered(200);
      expect(await staff.arrive(replica(browser, asking), form)).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    }
  });
});
