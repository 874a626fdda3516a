import { expect, it } from 'vitest';
import { AuthenticatorApp } from './authenticator-app.js';
import { type Answer, type HttpClient, textOf, textsOf } from '../http/http-client.js';
import { type Enrolled, type LoginStory, refresh, secondStep } from './login-story.js';
import { atOnce, outcomes, successes, upTo } from './races.js';
import { roundsInTier } from '../runner/tier.js';

const ROUNDS = roundsInTier(4, { inFull: 20 });
/** Accounts that one round of the second-step and refresh races needs. */
export const PEOPLE_PER_ROUND = 16;
/** Time limit for all rounds of one race on a busy machine, in milliseconds. */
const PATIENTLY = { timeout: 120_000 };
/** Wrong passwords that one address has free by default. */
const ADDRESS_FAILURES = 300;

/** Number of accounts that the races need. */
export const RACE_PEOPLE = PEOPLE_PER_ROUND * ROUNDS;

/** Races of the second step, on one or several services that share a database. */
export function secondStepRaces(story: LoginStory, rounds = ROUNDS): void {
  const client = (index: number): HttpClient => clientAt(story, index);

  async function tokens(person: Enrolled, count: number): Promise<readonly string[]> {
    const answers = await atOnce(count, (index) => story.login(person, client(index)));
    return answers.map((answer) => textOf(answer, 'mfa_token'));
  }

  async function backupCodesLeft(person: Enrolled): Promise<number> {
    const rows = await story.database.query('SELECT hash FROM backup_code WHERE user_id = ?', [
      await story.subjectOf(person),
    ]);
    return rows.length;
  }

  it('T6: exactly one of 100 equal codes on one mfa_token succeeds', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await story.enrolled();
      const code = story.nextCode(person);
      const token = await story.mfaToken(person);

      const answers = await atOnce(100, (index) => secondStep(client(index), token, code));

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
      expect(await story.countOf(person, 'MFA_OK')).toBe(1);
    }
  });

  it('T6: exactly one of 100 equal codes on 20 mfa_tokens succeeds', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await story.enrolled();
      const code = story.nextCode(person);
      const all = await tokens(person, 20);

      const answers = await atOnce(100, (index) => secondStep(client(index), all[index % 20] ?? '', code));

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
    }
  });

  it('T6, T14: one of two valid codes on one mfa_token succeeds, and the other stays valid', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await story.enrolled();
      const [first = '', second = ''] = person.backupCodes;
      const codes = round % 2 === 0 ? [story.nextCode(person), first] : [first, second];
      const token = await story.mfaToken(person);

      const answers = await atOnce(2, (index) => secondStep(client(index), token, codes[index] ?? ''));

      expect(outcomes(answers)).toEqual({ 200: 1, MFA_TOKEN_INVALID: 1 });
      const loser = codes[answers[0]?.status === 200 ? 1 : 0] ?? '';
      const again = await story.mfaToken(person);
      expect(await secondStep(client(round), again, loser)).toBeAnswered(200);
      expect(await story.countOf(person, 'MFA_FAILED')).toBe(0);
    }
  });

  it(
    'T7: exactly five of 100 wrong codes on 20 mfa_tokens are checked, then the user is locked',
    PATIENTLY,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = await story.enrolled();
        story.clock.nextStep();
        const all = await tokens(person, 20);

        const answers = await atOnce(100, (index) =>
          secondStep(client(index), all[index % 20] ?? '', story.wrongCode(person, index)),
        );

        expect(outcomes(answers)).toEqual({ MFA_CODE_INVALID: 5, MFA_LOCKED: 95 });
        expect(await story.countOf(person, 'MFA_FAILED')).toBe(5);
        expect(await story.countOf(person, 'MFA_LOCKED')).toBe(1);
        const right = await secondStep(client(round), await story.mfaToken(person), story.codeOf(person.app));
        expect(right).toBeRefused(429, 'MFA_LOCKED');
      }
    },
  );

  it('T7: a correct code among 100 parallel wrong ones permits at most nine failures', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await story.enrolled();
      const code = story.nextCode(person);
      const all = await tokens(person, 20);

      const answers = await atOnce(100, (index) =>
        secondStep(client(index), all[index % 20] ?? '', index === 50 ? code : story.wrongCode(person, index)),
      );

      const won = successes(answers).length;
      const failed = await story.countOf(person, 'MFA_FAILED');
      expect(won).toBeLessThanOrEqual(1);
      expect(failed).toBeLessThanOrEqual(won === 1 ? 9 : 5);
    }
  });

  it('T13: a backup code sent 50 times at once succeeds once', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await story.enrolled();
      const all = await tokens(person, 10);

      const answers = await atOnce(50, (index) =>
        secondStep(client(index), all[index % 10] ?? '', String(person.backupCodes[0])),
      );

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
      expect(await backupCodesLeft(person)).toBe(9);
    }
  });

  it(
    'T15: five parallel reissues leave one valid set of backup codes, which a response returned',
    PATIENTLY,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = await story.enrolled();

        const answers = await atOnce(5, (index) =>
          client(index).post('/2fa/backup-codes', {}, { bearer: person.accessToken }),
        );

        expect(await backupCodesLeft(person)).toBe(10);
        const sets = successes(answers).map((answer) => textsOf(answer, 'backup_codes'));
        const tries: number[] = [];
        for (const [code = ''] of sets) {
          tries.push((await secondStep(client(round), await story.mfaToken(person), code)).status);
        }
        expect(tries.filter((status) => status === 200)).toHaveLength(1);
      }
    },
  );

  it('exactly one of 20 parallel confirms activates the secret', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = story.person();
      const { accessToken: bearer } = await story.signInByPassword(person);
      const setup = await client(round).post('/2fa/setup', {}, { bearer });
      const code = story.codeOf(AuthenticatorApp.scan(textOf(setup, 'otpauth_uri')));

      const answers = await atOnce(20, (index) => client(index).post('/2fa/confirm', { code }, { bearer }));

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
      expect(await story.countOf(person, 'MFA_CONFIRMED')).toBe(1);
    }
  });

  it('exactly one of two parallel valid codes completes a half-authenticated session', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await story.enrolled();
      const codes = [story.nextCode(person), String(person.backupCodes[0])];
      const browser = client(round);
      await browser.post('/session', { id: person.id, pw: person.password });
      const half = browser.cookie('SESSION') ?? '';
      const tabs = upTo(2).map((index) => {
        const tab = client(index);
        tab.plant('SESSION', half);
        return tab;
      });

      const answers = await atOnce(2, (index) => (tabs[index] ?? browser).post('/2fa/verify', { code: codes[index] }));

      expect(successes(answers), JSON.stringify(outcomes(answers))).toHaveLength(1);
      const [winner, loser] = answers[0]?.status === 200 ? tabs : tabs.toReversed();
      expect(await winner?.get('/me')).toBeAnswered(200);
      expect(await loser?.get('/me')).toBeAnswered(401);
    }
  });

  it(
    'R10: parallel mixed requests of one user cause no server error and leave the account usable',
    PATIENTLY,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = await story.enrolled();
        const { client: mine, accessToken: bearer } = await story.signIn(person);
        const token = await story.mfaToken(person);
        const code = story.nextCode(person);
        const verbs: readonly ((at: HttpClient) => Promise<Answer>)[] = [
          (at) => at.post('/2fa/setup', {}, { bearer }),
          (at) => at.post('/2fa/backup-codes', {}, { bearer }),
          (at) => secondStep(at, token, code),
          (at) => at.post('/2fa/verify', { code: story.wrongCode(person) }, { bearer }),
          () => refresh(mine.copy()),
          (at) => at.delete('/sessions', { bearer }),
          (at) => at.post('/login', { id: person.id, pw: person.password }),
          (at) => at.get('/2fa', { bearer }),
          (at) => at.get('/sessions', { bearer }),
          (at) => at.post('/session', { id: person.id, pw: person.password }),
        ];

        await atOnce(3 * verbs.length, (index) => (verbs[index % verbs.length] ?? refresh)(client(index)));

        story.clock.advance(3600);
        const after = await secondStep(client(round), await story.mfaToken(person), story.codeOf(person.app));
        expect(after).toBeAnswered(200);
      }
    },
  );

  rightLoginRace(story, rounds);
}

/** All users call from one address. */
function rightLoginRace(story: LoginStory, rounds = ROUNDS): void {
  it('parallel correct logins of 20 users at one address all succeed', PATIENTLY, async () => {
    const people: Enrolled[] = [];
    for (let count = 0; count < 20; count += 1) people.push(await story.enrolled());
    for (let round = 0; round < rounds; round += 1) {
      story.clock.nextStep();

      expect(outcomes(await logIn(story, people, round))).toEqual({ 200: people.length });
    }
  });
}

/**
 * The race of correct logins with the default rate limit, which the services of a MariaDB share; each process on SQLite counts
 * for itself.
 */
export function throttledLoginRaces(story: LoginStory, { areShared }: { readonly areShared: boolean }): void {
  rightLoginRace(story);

  it(
    'parallel correct logins of 20 users succeed while the rate limit permits only five more failures',
    PATIENTLY,
    async () => {
      const people: Enrolled[] = [];
      for (let count = 0; count < 20; count += 1) people.push(await story.enrolled());
      story.clock.nextStep();
      const guesses = (service: number, count: number, who: string): Promise<readonly Answer[]> =>
        atOnce(count, (index) => story.client(service).post('/login', { id: `${who}-${index}`, pw: 'no' }));
      const services = [...story.services.keys()];
      const counters = areShared ? [services] : services.map((service) => [service]);
      for (const counter of counters) {
        // In parts, since some of hundreds at once would be rejected for overload.
        for (const part of upTo(5)) {
          const count = ADDRESS_FAILURES / 5 - 1;
          const service = counter[part % counter.length] ?? 0;
          expect(outcomes(await guesses(service, count, `nobody-${part}`))).toEqual({ INVALID_CREDENTIALS: count });
        }
      }

      expect(outcomes(await logIn(story, people))).toEqual({ 200: people.length });

      for (const [service = 0] of counters) {
        const further = await guesses(service, 20, 'nobody-else');
        expect(outcomes(further)).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 15 });
      }
    },
  );
}

/** Races of refresh tokens within the grace period. */
export function refreshRaces(story: LoginStory, rounds = ROUNDS): void {
  it('S2: a refresh token sent 20 times at once has one successor', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { client: winner } = await story.signInByPassword(story.person());

      const tabs = upTo(20).map((index) => tabOf(story, winner, index));
      const answers = await atOnce(20, (index) => refresh(tabs[index] ?? winner));

      expect(outcomes(answers)).toEqual({ 200: 20 });
      expect(new Set(tabs.map((tab) => tab.cookie('refresh_token'))).size).toBe(1);
      const [tab = winner] = tabs;
      expect(await refresh(tab)).toBeAnswered(200);
    }
  });
}

/** Races of refresh tokens without a grace period. */
export function strictRefreshRaces(story: LoginStory, rounds = ROUNDS): void {
  it('S2: with a grace of 0s a refresh token sent 20 times at once succeeds at most once', PATIENTLY, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = story.person();
      const { client: winner } = await story.signInByPassword(person);

      const tabs = upTo(20).map((index) => tabOf(story, winner, index));
      const answers = await atOnce(20, (index) => refresh(tabs[index] ?? winner));

      expect(successes(answers).length).toBeLessThanOrEqual(1);
      expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(1);
      for (const tab of tabs) expect(await refresh(tab)).toBeRefused(401, 'REFRESH_INVALID');
    }
  });
}

/** Signs in all users at once, each in a new browser. */
function logIn(story: LoginStory, people: readonly Enrolled[], firstService = 0): Promise<readonly Answer[]> {
  return atOnce(people.length, async (index) => {
    const person = people[index];
    if (!person) throw new Error('nobody there');
    const browser = clientAt(story, index + firstService);
    return secondStep(browser, await story.mfaToken(person, browser), story.codeOf(person.app));
  });
}

/** Another tab of the same browser, whose requests go to the service of that number. */
function tabOf(story: LoginStory, browser: HttpClient, index: number): HttpClient {
  const tab = clientAt(story, index);
  tab.plant('refresh_token', browser.cookie('refresh_token') ?? '', '/token');
  return tab;
}

/** A new browser at the service of that number, modulo the number of services. */
function clientAt(story: LoginStory, index: number): HttpClient {
  return story.client(index % story.services.length);
}
