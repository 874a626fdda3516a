import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { clusterRounds } from '../../../support/database/cluster-rounds.js';
import { galeraCluster } from '../../../support/database/galera-cluster.js';
import { textOf } from '../../../support/http/http-client.js';
import { PASSWORD, refresh, secondStep, type SignedIn, storyOn } from '../../../support/login/login-story.js';
import { needs } from '../../../support/runner/needs.js';
import {
  PEOPLE_PER_ROUND,
  refreshRaces,
  secondStepRaces,
  strictRefreshRaces,
} from '../../../support/login/race-stories.js';
import { atOnce, outcomes, upTo } from '../../../support/login/races.js';
import { oidcRaceArgs, oidcRaces } from '../../../support/oidc/oidc-races.js';
import { staffStoryOn } from '../../../support/saml/staff-story.js';

const SERVICES = 3;
const ROUNDS = clusterRounds(2);
const PATIENTLY = { timeout: Math.max(120_000, 20_000 * ROUNDS) };

needs('galera')('R13: three services, each at another node of one Galera cluster', () => {
  const cluster = galeraCluster();

  describe('races of applications', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    oidcRaces(storyOn(cluster, { people: 10, services: SERVICES, args: oidcRaceArgs(publicKey) }), privateKey, 200);
  });

  describe('races at all three', () => {
    const story = storyOn(cluster, { people: (PEOPLE_PER_ROUND + 2 * SERVICES) * ROUNDS + 20, services: SERVICES });
    secondStepRaces(story, ROUNDS);
    refreshRaces(story, ROUNDS);

    /** The user's sessions, one at each service. */
    async function sessionsOf(person: Parameters<typeof story.signIn>[0]): Promise<readonly SignedIn[]> {
      const sessions: SignedIn[] = [];
      for (const service of upTo(SERVICES)) sessions.push(await story.signIn(person, story.client(service)));
      return sessions;
    }

    it('T7: wrong codes at three services lock the user at all of them', PATIENTLY, async () => {
      for (const round of upTo(ROUNDS)) {
        const person = await story.enrolled(story.person(), story.client(round % SERVICES));
        for (const attempt of upTo(5)) {
          const client = story.client(attempt % SERVICES);
          const wrong = await secondStep(
            client,
            await story.mfaToken(person, client),
            story.wrongCode(person, attempt),
          );
          expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
        }

        for (const service of upTo(SERVICES)) {
          const client = story.client(service);
          const right = await secondStep(client, await story.mfaToken(person, client), story.codeOf(person.app, 1));
          expect(right).toBeRefused(429, 'MFA_LOCKED');
        }
      }
    });

    it('a password change at one service ends all other sessions at every service at once', PATIENTLY, async () => {
      for (const round of upTo(ROUNDS)) {
        const person = await story.enrolled();
        const sessions = await sessionsOf(person);
        const [own, ...others] = [...sessions.slice(round % SERVICES), ...sessions.slice(0, round % SERVICES)];
        const changed = await own?.client.post(
          '/me/password',
          { current: PASSWORD, new: 'eight loud lanterns & 2 harbours', code: String(person.backupCodes[0]) },
          { bearer: own.accessToken },
        );

        expect(changed).toMatchObject({ status: 204 });
        for (const { client, accessToken: bearer } of others) {
          expect(await client.get('/me', { bearer })).toBeAnswered(401);
          expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
        }
        for (const service of upTo(SERVICES)) {
          const old = await story.client(service).post('/login', { id: person.id, pw: PASSWORD });
          expect(old).toBeRefused(401, 'INVALID_CREDENTIALS');
        }
      }
    });

    it('S6: a command at one node ends all sessions at every service at once', PATIENTLY, async () => {
      for (const command of ['set-password', 'reset-mfa', 'disable']) {
        const person = await story.enrolled();
        const sessions = await sessionsOf(person);

        expect(await story.command('users', command, person.id)).toMatchObject({ exitCode: 0 });

        for (const { client, accessToken: bearer } of sessions) {
          expect(await client.get('/me', { bearer }), command).toBeAnswered(401);
          expect(await refresh(client), command).toBeRefused(401, 'REFRESH_INVALID');
        }
      }
    });

    it('logins during a password change leave no session of the old password', PATIENTLY, async () => {
      for (const round of upTo(ROUNDS)) {
        const person = await story.enrolled();
        const own = await story.signIn(person);
        const [change = '', ...codes] = person.backupCodes;
        const tokens = await Promise.all(
          codes.map((_, index) => story.mfaToken(person, story.client(index % SERVICES))),
        );

        const answers = await atOnce(codes.length + 1, (index) =>
          index === round % codes.length
            ? own.client.post(
                '/me/password',
                { current: PASSWORD, new: 'eight loud lanterns & 2 harbours', code: change },
                { bearer: own.accessToken },
              )
            : secondStep(story.client(index % SERVICES), tokens[index] ?? tokens[0] ?? '', codes[index] ?? ''),
        );

        const isChanged = answers.some(({ status }) => status === 204);
        const opened = answers.filter(({ status }) => status === 200).map((answer) => textOf(answer, 'access_token'));
        for (const bearer of opened) {
          for (const service of upTo(SERVICES)) {
            expect(await story.client(service).get('/me', { bearer })).toBeAnswered(isChanged ? 401 : 200);
          }
        }
      }
    });

    it('logins by password during a password change leave no session of the old password', PATIENTLY, async () => {
      for (const round of upTo(ROUNDS)) {
        const person = story.person();
        const { client, accessToken: bearer } = await story.signInByPassword(person, story.client(round % SERVICES));
        const change = { current: PASSWORD, new: 'eight loud lanterns & 2 harbours' };

        const answers = await atOnce(13, (index) =>
          index === 6
            ? client.post('/me/password', change, { bearer })
            : story.client(index % SERVICES).post('/login', { id: person.id, pw: PASSWORD }),
        );

        expect(answers[6]).toMatchObject({ status: 204 });
        for (const [index, answer] of answers.entries()) {
          if (index === 6 || answer.status !== 200) continue;
          const of = { bearer: textOf(answer, 'access_token') };
          for (const service of upTo(SERVICES)) expect((await story.client(service).get('/me', of)).status).toBe(401);
        }
      }
    });
  });

  describe('refresh races at all three without grace', () => {
    const options = { people: ROUNDS, services: SERVICES, args: ['--app.security.refresh.grace=0s'] };
    strictRefreshRaces(storyOn(cluster, options), ROUNDS);
  });

  describe('staff sign-ins at all three', () => {
    const publicUrl = 'https://login.test';
    const staff = staffStoryOn(
      cluster,
      { corp: {} },
      { people: 1, services: SERVICES, args: [`--app.security.public-url=${publicUrl}`] },
    );

    it('X9: 30 concurrent copies of one response create one session', PATIENTLY, async () => {
      for (const round of upTo(ROUNDS)) {
        const browser = staff.client(round % SERVICES);
        const request = await staff.depart(browser);
        const form = staff.posted(staff.response(request, { nameId: `staff-${round}` }), request);
        const tabs = upTo(30).map((index) => {
          const tab = staff.client(index % SERVICES);
          tab.plant('saml_request', browser.cookie('saml_request') ?? '', '/saml');
          return tab;
        });

        const answers = await atOnce(30, (index) => staff.arrive(tabs[index] ?? browser, form));

        expect(outcomes(answers)).toEqual({ 303: 1, SAML_RESPONSE_INVALID: 29 });
        const [sessions = []] = await cluster.queryEach('SELECT id FROM session');
        expect(sessions).toHaveLength(round + 1);
      }
    });
  });
});
