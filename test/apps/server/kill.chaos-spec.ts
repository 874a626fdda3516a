import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../../support/http/http-client.js';
import {
  enrolled,
  expectReuse,
  GRACE,
  holderAt,
  interruptBurst,
  NEWCOMERS,
  refreshTokenOf,
  TOTP_USERS,
} from '../../support/database/interrupted-burst.js';
import { type Enrolled, type LoginStory, refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { upTo } from '../../support/login/races.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { roundsInTier } from '../../support/runner/tier.js';

const ROUNDS = roundsInTier(4, { inFull: 15 });

onEachEngine('R2: service killed in the middle of a burst', (engine) => {
  const story = storyOn(engine, { people: TOTP_USERS + NEWCOMERS * ROUNDS });

  it(
    `R2: a service killed in a burst forgets no used credential and loses no unused one, ${ROUNDS} times`,
    { timeout: 300_000 },
    async () => {
      const regulars = await enrolled(story, TOTP_USERS);
      let exchanged = 0;
      const interruption = { strike: () => story.service.kill(), repair: () => story.restart() };
      for (const round of upTo(ROUNDS)) {
        exchanged += (await interruptBurst(story, regulars, round, interruption)).exchanged;
      }

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

async function usedMfaToken(story: LoginStory, person: Enrolled): Promise<string> {
  const token = await story.mfaToken(person);
  expect(await secondStep(story.client(), token, String(person.backupCodes[0]))).toBeAnswered(200);
  return token;
}

/** The same browser at the restarted service, which has another port. */
function at(story: LoginStory, browser: HttpClient): HttpClient {
  return holderAt(story, refreshTokenOf(browser));
}
