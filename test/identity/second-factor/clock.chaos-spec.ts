import { describe, expect, it } from 'vitest';
import { textOf } from '../../support/http/http-client.js';
import { refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const HOUR = 3600;
const FIRST_LOCK = 300;

onAnyEngine('R11: clock changes', (engine) => {
  const story = storyOn(engine);

  describe('clock set back by an hour', () => {
    it('R11: a clock set back by an hour makes no used step valid again', async () => {
      const person = await story.enrolled();
      await story.signIn(person);
      const used = story.codeOf(person.app);

      story.clock.back(HOUR);
      const back = [
        await secondStep(story.client(), await story.mfaToken(person), story.codeOf(person.app)),
        await secondStep(story.client(), await story.mfaToken(person), used),
      ];
      story.clock.advance(HOUR);
      const again = await secondStep(story.client(), await story.mfaToken(person), used);

      for (const answer of [...back, again]) expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
      await expect(story.signIn(person)).resolves.toBeDefined();
    });

    it('R11: a clock set back by an hour neither shortens nor extends a lock', async () => {
      const person = await story.enrolled();
      await story.lock(person);
      story.clock.back(HOUR);
      const code = String(person.backupCodes[0]);

      const locked = await secondStep(story.client(), await story.mfaToken(person), code);
      expect(locked).toBeRefused(429, 'MFA_LOCKED');
      expect(Number(locked.headers.get('retry-after'))).toBeLessThanOrEqual(FIRST_LOCK);
      story.clock.advance(FIRST_LOCK - 1);
      const last = await secondStep(story.client(), await story.mfaToken(person), code);
      expect(last).toBeRefused(429, 'MFA_LOCKED');

      story.clock.advance(1);

      expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeAnswered(200);
    });

    it('R11: a session can be refreshed after the clock was set back by an hour', async () => {
      const { client } = await story.signInByPassword(story.person());

      story.clock.back(HOUR);

      const renewed = await refresh(client);
      expect(renewed).toBeAnswered(200);
      expect(await client.get('/me', { bearer: textOf(renewed, 'access_token') })).toBeAnswered(200);
    });

    it('R11: a clock set back by an hour does not extend the life of an mfa_token', async () => {
      const person = await story.enrolled();
      const token = await story.mfaToken(person);
      story.clock.back(HOUR);
      story.clock.advance(181);

      const answer = await secondStep(story.client(), token, String(person.backupCodes[0]));

      expect(answer).toBeRefused(401, 'MFA_TOKEN_INVALID');
    });
  });

  describe('clock ahead by an hour and corrected', () => {
    it('R11: a corrected clock makes no used step valid again and accepts the next steps in time', async () => {
      const person = await story.enrolled();
      story.clock.advance(HOUR);
      await story.signIn(person);
      const used = story.codeOf(person.app);
      story.clock.back(HOUR);

      const early = await secondStep(story.client(), await story.mfaToken(person), story.codeOf(person.app));
      const byBackupCode = await secondStep(
        story.client(),
        await story.mfaToken(person),
        String(person.backupCodes[0]),
      );
      story.clock.advance(HOUR);
      const again = await secondStep(story.client(), await story.mfaToken(person), used);

      expect(early).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(byBackupCode).toBeAnswered(200);
      expect(again).toBeRefused(401, 'MFA_CODE_INVALID');
      await expect(story.signIn(person)).resolves.toBeDefined();
    });

    it('R11: a corrected clock does not extend a lock set while it was ahead', async () => {
      const person = await story.enrolled();
      story.clock.advance(HOUR);
      await story.lock(person);
      story.clock.back(HOUR);
      const code = String(person.backupCodes[0]);
      expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeRefused(429, 'MFA_LOCKED');

      story.clock.advance(FIRST_LOCK);

      expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeAnswered(200);
    });
  });

  it('R11: a lock set by a replica an hour ahead has its usual length at the other replica', async () => {
    const ahead = new MovedClock();
    ahead.advance(story.clock.seconds - ahead.seconds + HOUR);
    const replica = await story.join(ahead);
    const person = await story.enrolled();
    const hasty = story.client(1);
    const token = await story.mfaToken(person, hasty);
    for (let variant = 0; variant < 5; variant += 1) {
      const wrong = person.app.wrongCodeAt(ahead.seconds, variant, 200);
      expect(await secondStep(hasty, token, wrong)).toBeRefused(401, 'MFA_CODE_INVALID');
    }
    const code = String(person.backupCodes[0]);

    const atOther = await secondStep(story.client(), await story.mfaToken(person), code);
    expect(atOther).toBeRefused(429, 'MFA_LOCKED');
    story.clock.advance(FIRST_LOCK - 1);
    expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeRefused(429, 'MFA_LOCKED');
    story.clock.advance(1);

    expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeAnswered(200);
    await replica.kill();
  });
});
