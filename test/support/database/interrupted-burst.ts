import { expect } from 'vitest';
import { type Answer, type HttpClient, setCookie, textOf } from '../http/http-client.js';
import { type Enrolled, type LoginStory, refresh, secondStep } from '../login/login-story.js';
import { upTo } from '../login/races.js';

export const TOTP_USERS = 8;
const BACKUP_USERS = 6;
/** New accounts of one burst. */
export const NEWCOMERS = BACKUP_USERS + 1;
const REFRESHES = 5;
const GUESSES = 6;
const BURST = TOTP_USERS + BACKUP_USERS + REFRESHES + GUESSES;
/** The default grace period, in seconds. */
export const GRACE = 10;

/** A second step in flight at the interruption. Without a response, its result is unknown. */
interface Step {
  readonly person: Enrolled;
  readonly token: string;
  readonly code: string;
  answer?: Answer;
}

/** A refresh in flight at the interruption. */
interface Exchange {
  readonly person: Enrolled;
  /** The refresh token that was sent. */
  readonly used: string;
  answer?: Answer;
}

/** What happens in the middle of a burst, and what brings everything back. */
export interface Interruption {
  strike(): Promise<unknown>;
  repair(): Promise<unknown>;
  /** True for a response that leaves open whether the request was executed; by default there is none. */
  isOpen?(answer: Answer): boolean;
}

/** Facts of one burst. */
export interface BurstFigures {
  /** Requests that were answered in spite of the interruption. */
  readonly answered: number;
  /** Refreshes among them. */
  readonly exchanged: number;
  /** Acknowledged facts that were found again: used codes and tokens, sessions, rotations, counted failures. */
  readonly facts: number;
}

export async function enrolled(story: LoginStory, count: number): Promise<readonly Enrolled[]> {
  const people: Enrolled[] = [];
  while (people.length < count) people.push(await story.enrolled());
  return people;
}

/** Interrupts a burst of second steps, refreshes and guesses, and checks afterwards that no use was forgotten or lost. */
export async function interruptBurst(
  story: LoginStory,
  regulars: readonly Enrolled[],
  round: number,
  interruption: Interruption,
): Promise<BurstFigures> {
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

  const answers = await burst(round, interruption, [
    ...steps.map(
      ({ token, code }, index) =>
        () =>
          secondStep(clientAt(story, index), token, code),
    ),
    ...exchanges.map(
      ({ used }, index) =>
        () =>
          refresh(holderAt(story, used, index)),
    ),
    ...upTo(GUESSES).map(
      (index) => () => secondStep(clientAt(story, index), guessToken, story.wrongCode(guessed, index)),
    ),
  ]);
  await interruption.repair();
  const known = answers.map((answer) => (answer && interruption.isOpen?.(answer) === true ? undefined : answer));
  for (const [index, each] of [...steps, ...exchanges].entries()) {
    const answer = known[index];
    if (answer) each.answer = answer;
  }

  for (const step of steps) await expectWholeOrNothing(story, step, round);
  const successors: string[] = [];
  for (const exchange of exchanges) successors.push(await expectOneSuccessor(story, exchange, round));
  for (const [index, successor] of successors.entries()) {
    // One successor stays unused, a different one in each round, so that its predecessor is rejected for its age alone.
    if (index === round % REFRESHES) continue;
    expect(await refreshWith(story, successor), `successor in round ${round}`).toBeAnswered(200);
  }
  await expectCounted(story, guessed, known.slice(-GUESSES), round);

  // Last, since it advances the clock.
  story.clock.advance(GRACE + 1);
  for (const [index, { person, used }] of exchanges.entries()) {
    await expectReuse(story, person, used, successors[index] ?? '', `round ${round}`);
  }
  return {
    answered: known.filter((answer) => answer !== undefined).length,
    exchanged: exchanges.filter(({ answer }) => answer !== undefined).length,
    facts: steps.length + exchanges.length + GUESSES,
  };
}

/** Sends all requests at once and interrupts them after some responses, a different number in each round. */
async function burst(
  round: number,
  interruption: Interruption,
  requests: readonly (() => Promise<Answer>)[],
): Promise<readonly (Answer | undefined)[]> {
  const strikeAfter = (round * 7) % BURST;
  let answered = 0;
  let struck: Promise<unknown> | undefined;
  const strikeWhenDue = (): void => {
    if (answered >= strikeAfter) struck ??= interruption.strike();
  };
  const sent = requests.map(async (request) => {
    try {
      const answer = await request();
      answered += 1;
      strikeWhenDue();
      return answer;
    } catch {
      // The connection ended with the service.
      return undefined;
    }
  });
  strikeWhenDue();
  const answers = await Promise.all(sent);
  await (struck ?? interruption.strike());
  return answers;
}

/** Either the login is complete and its code and token are used up, or it left no trace and both are valid. */
async function expectWholeOrNothing(story: LoginStory, step: Step, round: number): Promise<void> {
  const { person, token, code, answer } = step;
  const where = `${person.id} in round ${round}, answered ${answer?.status ?? 'nothing'}`;
  const again = await secondStep(clientAt(story, round), token, code);
  if (answer !== undefined) expect(answer.status, where).toBe(200);
  if (answer !== undefined || again.status !== 200) {
    expect(again, where).toBeRefused(401, 'MFA_TOKEN_INVALID');
    const withFreshToken = await secondStep(clientAt(story, round), await story.mfaToken(person), code);
    expect(withFreshToken, where).toBeRefused(401, 'MFA_CODE_INVALID');
  }
  if (answer !== undefined) {
    const me = await clientAt(story, round).get('/me', { bearer: textOf(answer, 'access_token') });
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
  const again = [await refreshWith(story, used, round), await refreshWith(story, used, round + 1)];
  for (const each of again) expect(each, where).toBeAnswered(200);
  if (answer !== undefined) {
    expect(answer, where).toBeAnswered(200);
    const me = await clientAt(story, round).get('/me', { bearer: textOf(answer, 'access_token') });
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
export async function expectReuse(
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
  const next = await secondStep(clientAt(story, round), await story.mfaToken(person), story.codeOf(person.app));
  expect(next.status, `round ${round}: ${next.text}`).toBe(isLocked ? 429 : 200);
}

export function refreshTokenOf(browser: HttpClient): string {
  return browser.cookie('refresh_token') ?? '';
}

function refreshWith(story: LoginStory, refreshToken: string, service = 0): Promise<Answer> {
  return refresh(holderAt(story, refreshToken, service));
}

/** A browser with this refresh token at the service of that number, modulo the number of services. */
export function holderAt(story: LoginStory, refreshToken: string, service = 0): HttpClient {
  const browser = clientAt(story, service);
  browser.plant('refresh_token', refreshToken, '/token');
  return browser;
}

function clientAt(story: LoginStory, service: number): HttpClient {
  return story.client(service % story.services.length);
}
