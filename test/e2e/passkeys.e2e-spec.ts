import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { storyOn } from '../support/login-story.js';
import { PASSKEY_ALGORITHMS } from '../support/passkey-key.js';
import { PasskeyStory } from '../support/passkey-story.js';
import { onEachEngine } from '../support/story-database.js';

onEachEngine('passkeys as a second factor', (engine) => {
  const story = storyOn(engine, { people: 40 });
  const passkeys = new PasskeyStory(story);

  describe.each(PASSKEY_ALGORITHMS)('with %s', (algorithm) => {
    it.each([
      ['bound to its device', false, 'hwk'],
      ['synced', true, 'swk'],
    ] as const)('a passkey that is %s completes a login', async (_, isSynced, method) => {
      const holder = await passkeys.holder({ algorithm, isSynced });

      const { accessToken, answer } = await passkeys.signIn(holder);

      expect(answer.body).toMatchObject({ amr: ['pwd', method], mfa_method: 'passkey' });
      expect(decodeJwt(accessToken)).toMatchObject({
        amr: ['pwd', method],
        acr: 'urn:login:acr:mfa',
        mfa_method: 'passkey',
      });
    });
  });
});
