import { describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, setCookie, textOf } from '../support/http-client.js';
import { type Enrolled, type LoginStory, refresh, secondStep, storyOn } from '../support/login-story.js';
import { upTo } from '../support/races.js';
import { onEachEngine } from '../support/story-database.js';

const ROUNDS = 15;
const TOTP_USERS = 8;
const BACKUP_USERS = 6;
const REFRESHES = 5;
const GUESSES = 6;
const BURST = TOTP_USERS + BACKUP_USERS + REFRESHES + GUESSES;
/** The default grace period, in seconds. */
const GRACE = 10;

/** A second step in flight when the service was killed. Without a response, its result is unknown. */
interface Step {
  readonly person: Enrolled;
  readonly token: string;
  readonly code: string;
  answer?: Answer;
}

/** A refresh in flight when the service was killed. */
interface Exchange {
  readonly person: Enrolled;
  /** The refresh token that was sent. */
  readonly used: string;
  answer?: Answer;
}

onEachEngine('R2: service killed in the middle of a burst', (engine) => {
  const story = storyOn(engine, { people: TOTP_USERS + (BACKUP_USERS + 1) * ROUNDS });

  it(
    `R2: a service killed in a burst forgets no used credential and loses no unused one, ${ROUNDS} times`,
    { timeout: 300_000 },
    async () => {
      const regulars = await enrolled(story, TOTP_USERS);
      let exchanged = 0;
      for (const round of upTo(ROUNDS)) exchanged += await killInBurst(story, regulars, round);

      expect(exchanged, 'refreshes that were answered before the end').toBeGreaterThan(0);
      expect(await story.client().get('/actuator/health')).toBeAnswered(200);
    },
  );
});

onEachEngine('R3: restarted service', (engine) => {
  const story = storyOn(engine);

  describe.each(['is stopped', 'is killed'])('service that %s', (end) => {
    it(`R3: a service that ${end} and restarts keeps locks, used credentials and sessions`, async () => {
      const [person, locked] = [await story.enrolled(), await story.enrolled()];
      const { client: stolenFrom } = await story.signIn(person);
      const usedRefreshToken = refreshTokenOf(stolenFrom);
      expect(await refresh(stolenFrom)).toBeAnswered(200);
      const { client, accessToken: bearer } = await story.signIn(person);
      const usedCode = story.codeOf(person.app);
      const usedToken = await usedMfaToken(story, person);
      await story.lock(locked);

      await (end === 'is killed' ? story.service.kill() : story.service.stop());
      await story.restart();

      const fresh = story.client();
      expect(await secondStep(fresh, await story.mfaToken(person), usedCode)).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await secondStep(fresh, usedToken, story.nextCode(person))).toBeRefused(401, 'MFA_TOKEN_INVALID');
      expect(await secondStep(fresh, await story.mfaToken(locked), story.codeOf(locked.app))).toBeRefused(
        429,
        'MFA_LOCKED',
      );
      expect(await fresh.get('/me', { bearer })).toBeAnswered(200);
      expect(await refresh(at(story, client))).toBeAnswered(200);
      story.clock.advance(GRACE + 1);
      await expectReuse(story, person, usedRefreshToken, refreshTokenOf(stolenFrom), end);
    });
  });
});

async function enrolled(story: LoginStory, count: number): Promise<readonly Enrolled[]> {
  const people: Enrolled[] = [];
  while (people.length < count) people.push(await story.enrolled());
  return people;
}

async function usedMfaToken(story: LoginStory, person: Enrolled): Promise<string> {
  const token = await story.mfaToken(person);
  expect(await secondStep(story.client(), token, String(person.backupCodes[0]))).toBeAnswered(200);
  return token;
}

/** Returns the number of refreshes with a response before the service was killed. */
async function killInBurst(story: LoginStory, regulars: readonly Enrolled[], round: number): Promise<number> {
  const newcomers = await enrolled(story, BACKUP_USERS);
  const guessed = await story.enrolled();
  const exchanges: Exchange[] = [];
  for (const person of newcomers.slice(0, REFRESHES)) {
    exchanges.push({ person, used: refreshTokenOf((await story.signIn(person)).client) });
  }
  story.clock.nextStep();
  const steps: Step[] = [];
  for (const person of regulars) {
    steps.push({ person, token: await story.mfaToken(person), code: story.codeOf(person.app) });
  }
  for (const person of newcomers) {
    steps.push({ person, token: await story.mfaToken(person), code: String(person.backupCodes[0]) });
  }
  const guessToken = await story.mfaToken(guessed);

  const guesses = await burst(story, round, [
    ...steps.map((step) => async () => {
      step.answer = await secondStep(story.client(), step.token, step.code);
      return step.answer;
    }),
    ...exchanges.map((exchange) => async () => {
      exchange.answer = await refreshWith(story, exchange.used);
      return exchange.answer;
    }),
    ...upTo(GUESSES).map((index) => () => secondStep(story.client(), guessToken, story.wrongCode(guessed, index))),
  ]);
  await story.restart();

  for (const step of steps) await expectWholeOrNothing(story, step, round);
  const successors: string[] = [];
  for (const exchange of exchanges) successors.push(await expectOneSuccessor(story, exchange, round));
  for (const [index, successor] of successors.entries()) {
    // One successor stays unused, a different one in each round, so that its predecessor is rejected for its age alone.
    if (index === round % REFRESHES) continue;
    expect(await refreshWith(story, successor), `successor in round ${round}`).toBeAnswered(200);
  }
  await expectCounted(story, guessed, guesses.slice(-GUESSES), round);

  // Last, since it advances the clock.
  story.clock.advance(GRACE + 1);
  for (const [index, { person, used }] of exchanges.entries()) {
    await expectReuse(story, person, used, successors[index] ?? '', `round ${round}`);
  }
  return exchanges.filter(({ answer }) => answer !== undefined).length;
}

/** Sends all requests at once and kills the service after some responses, a different number in each round. */
async function burst(
  story: LoginStory,
  round: number,
  requests: readonly (() => Promise<Answer>)[],
): Promise<readonly (Answer | undefined)[]> {
  const killAfter = (round * 7) % BURST;
  let answered = 0;
  let killed: Promise<void> | undefined;
  const killWhenDue = (): void => {
    if (answered >= killAfter) killed ??= story.service.kill();
  };
  const sent = requests.map(async (request) => {
    try {
      const answer = await request();
      answered += 1;
      killWhenDue();
      return answer;
    } catch {
      // The connection ended with the service.
      return undefined;
    }
  });
  killWhenDue();
  const answers = await Promise.all(sent);
  await (killed ?? story.service.kill());
  return answers;
}

/** Either the login is complete and its code and token are used up, or it left no trace and both are valid. */
async function expectWholeOrNothing(story: LoginStory, step: Step, round: number): Promise<void> {
  const { person, token, code, answer } = step;
  const where = `${person.id} in round ${round}, answered ${answer?.status ?? 'nothing'}`;
  const again = await secondStep(story.client(), token, code);
  if (answer !== undefined) expect(answer.status, where).toBe(200);
  if (answer !== undefined || again.status !== 200) {
    expect(again, where).toBeRefused(401, 'MFA_TOKEN_INVALID');
    const withFreshToken = await secondStep(story.client(), await story.mfaToken(person), code);
    expect(withFreshToken, where).toBeRefused(401, 'MFA_CODE_INVALID');
  }
  if (answer !== undefined) {
    const me = await story.client().get('/me', { bearer: textOf(answer, 'access_token') });
    expect(me, where).toBeAnswered(200);
  }
  // Either way the code caused exactly one login.
  expect(await usesOf(story, person, token), where).toBe(1);
}

/** The clock stands still, so the used token is in its grace period: a repeated refresh returns the same successor. */
async function expectOneSuccessor(
  story: LoginStory,
  { person, used, answer }: Exchange,
  round: number,
): Promise<string> {
  const where = `refresh of ${person.id} in round ${round}, answered ${answer?.status ?? 'nothing'}`;
  const again = [await refreshWith(story, used), await refreshWith(story, used)];
  for (const each of again) expect(each, where).toBeAnswered(200);
  if (answer !== undefined) {
    expect(answer, where).toBeAnswered(200);
    const me = await story.client().get('/me', { bearer: textOf(answer, 'access_token') });
    expect(me, where).toBeAnswered(200);
  }
  const [successor, ...others] = [...(answer ? [answer] : []), ...again].map(
    (each) => setCookie(each, 'refresh_token')?.value,
  );
  expect(successor, where).toMatch(/^[\w-]{43}$/);
  expect(successor, where).not.toBe(used);
  for (const other of others) expect(other, where).toBe(successor);
  return successor ?? '';
}

/** After the grace period a used token is rejected and ends the session, so that its successor is rejected too. */
async function expectReuse(
  story: LoginStory,
  person: Enrolled,
  used: string,
  successor: string,
  where: string,
): Promise<void> {
  expect(await refreshWith(story, used), where).toBeRefused(401, 'REFRESH_INVALID');
  expect(await story.countOf(person, 'TOKEN_REUSE'), where).toBe(1);
  expect(await refreshWith(story, successor), where).toBeRefused(401, 'REFRESH_INVALID');
}

/** How many sessions began with this mfa_token, by the table of used tokens and the security events. */
async function usesOf(story: LoginStory, person: Enrolled, token: string): Promise<number> {
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
  const used = await story.database.query('SELECT jti FROM used_mfa_token WHERE jti = ?', [jti]);
  const now = story.clock.millis;
  const logins = (await story.events(person)).filter(({ kind, at }) => kind === 'MFA_OK' && at === now);
  expect(logins).toHaveLength(used.length);
  return used.length;
}

/** Every code with the response MFA_CODE_INVALID is counted, and five failures lock the user. */
async function expectCounted(
  story: LoginStory,
  person: Enrolled,
  answers: readonly (Answer | undefined)[],
  round: number,
): Promise<void> {
  const told = answers.filter((answer) => answer?.body['code'] === 'MFA_CODE_INVALID').length;
  const [row] = await story.database.query<{ failures: number }>('SELECT failures FROM account WHERE login_id = ?', [
    person.id,
  ]);
  expect(Number(row?.failures), `round ${round}`).toBeGreaterThanOrEqual(told);
  const isLocked = Number(row?.failures) >= 5;
  const next = await secondStep(story.client(), await story.mfaToken(person), story.codeOf(person.app));
  expect(next.status, `round ${round}: ${next.text}`).toBe(isLocked ? 429 : 200);
}

/** The same browser at the restarted service, which has another port. */
function at(story: LoginStory, browser: HttpClient): HttpClient {
  return holderOf(story, refreshTokenOf(browser));
}

function refreshTokenOf(browser: HttpClient): string {
  return browser.cookie('refresh_token') ?? '';
}

function refreshWith(story: LoginStory, refreshToken: string): Promise<Answer> {
  return refresh(holderOf(story, refreshToken));
}

function holderOf(story: LoginStory, refreshToken: string): HttpClient {
  const browser = story.client();
  browser.plant('refresh_token', refreshToken, '/token');
  return browser;
}
