import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, HttpClient, textOf } from '../../../support/http/http-client.js';
import { type Enrolled, LoginStory, PASSWORD, refresh } from '../../../support/login/login-story.js';
import { needs } from '../../../support/runner/needs.js';
import { buildOf, hasCommit } from '../../../support/programs/other-build.js';
import { type RunningService, THIS_BUILD } from '../../../support/programs/service.js';
import { MARIADB } from '../../../support/database/story-database.js';
import { roundsInTier } from '../../../support/runner/tier.js';

/** A version with several authenticators for an account: earlier ones cannot run beside this build. */
const PREVIOUS = 'da3834b56dffbe993ef3d162faf1db46d7b12d7f';
const WORKERS = 4;
/** Rounds of each worker in each phase. */
const ROUNDS = roundsInTier(2, { inFull: 8 });

interface Known {
  readonly client: HttpClient;
  readonly bearer: string;
}

/** Clients that sign in all the time, at the services that the balancer names. */
class Load {
  readonly failures: string[] = [];
  readonly sessions: Known[] = [];
  logins = 0;
  private turn = 0;

  constructor(private readonly story: LoginStory) {}

  /** Signs in, reads, refreshes and reads again, each time at the next service. */
  async run(services: readonly RunningService[]): Promise<void> {
    const rounds = Array.from({ length: WORKERS }, async (_, worker) => {
      const person = this.story.person();
      for (let round = 0; round < ROUNDS; round += 1) await this.round(person.id, services, worker + round);
    });
    await Promise.all(rounds);
  }

  private async round(id: string, services: readonly RunningService[], label: number): Promise<void> {
    const client = this.moved(new HttpClient(''), services);
    const login = await client.post('/login', { id, pw: PASSWORD });
    if (!this.expected('login', login)) return;
    this.logins += 1;
    const moved = this.moved(client, services);
    const refreshed = await refresh(moved);
    if (!this.expected('refresh', refreshed)) return;
    const known = { client: moved, bearer: textOf(refreshed, 'access_token') };
    this.expected('session', await this.moved(moved, services).get('/session', { bearer: known.bearer }));
    if (label % 4 === 0) this.sessions.push(known);
  }

  /** True for a 200; anything else is a failure of the upgrade. */
  expected(what: string, answer: Answer): boolean {
    if (answer.status !== 200) this.failures.push(`${what} → ${answer.status} ${answer.text}`);
    return answer.status === 200;
  }

  /** The same browser at the next service. */
  moved(client: HttpClient, services: readonly RunningService[]): HttpClient {
    this.turn += 1;
    return client.copy(services[this.turn % services.length]?.url);
  }
}

needs('mariadb')('an upgrade under load', () => {
  let story: LoginStory;

  beforeAll(async () => {
    if (!hasCommit(PREVIOUS)) return;
    story = new LoginStory(MARIADB, { people: 60, isAlone: true, build: await buildOf(PREVIOUS) });
    await story.begin();
  }, 240_000);

  afterAll(async () => {
    if (hasCommit(PREVIOUS)) await story.end();
  });

  it.skipIf(!hasCommit(PREVIOUS))(
    'no request fails from the old version to the new one and back, and each version honors what the other one stored',
    { timeout: 180_000 },
    async () => {
      const old = story.service;
      const load = new Load(story);
      const enrolled: Enrolled = await story.enrolled();
      const locked: Enrolled = await story.enrolled();
      await story.lock(locked);
      const usedCode = story.codeOf(enrolled.app);

      await load.run([old]);
      const [current] = await Promise.all([story.join(story.clock, THIS_BUILD), load.run([old])]);
      await load.run([old, current]);
      await load.run([current]);
      expect(await old.stop()).toBe(0);
      await load.run([current]);
      const [again] = await Promise.all([story.join(story.clock), load.run([current])]);
      await load.run([again, current]);
      await load.run([again]);
      expect(await current.stop()).toBe(0);
      await load.run([again]);

      expect(load.failures).toEqual([]);
      for (const { client, bearer } of load.sessions) {
        load.expected('kept session', await load.moved(client, [again]).get('/session', { bearer }));
      }
      expect(load.failures).toEqual([]);
      const client = new HttpClient(again.url);
      const token = textOf(await client.post('/login', { id: enrolled.id, pw: PASSWORD }), 'mfa_token');
      const step = await client.post('/login/2fa', { mfa_token: token, code: usedCode });
      expect(step).toBeRefused(401, 'MFA_CODE_INVALID');
      const [events] = await story.database.query<{ readonly count: number }>(
        `SELECT COUNT(*) AS count FROM security_event WHERE kind = 'LOGIN_PASSWORD_OK'`,
      );
      expect(Number(events?.count)).toBeGreaterThanOrEqual(load.logins);
    },
  );
});
