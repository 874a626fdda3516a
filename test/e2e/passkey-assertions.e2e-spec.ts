import { describe, expect, it } from 'vitest';
import { HOSTILE_ASSERTIONS, UNCHECKED_ASSERTIONS } from '../support/hostile-passkey-assertions.js';
import { HARMLESS_MESSAGES } from '../support/hostile-passkey-messages.js';
import type { Answer, HttpClient } from '../support/http-client.js';
import { type EventRow, type LoginStory, secondStep, storyOn } from '../support/login-story.js';
import type { AssertionOverrides, SoftwareAuthenticator } from '../support/passkey-authenticator.js';
import type { AssertionJson } from '../support/passkey-messages.js';
import {
  assert,
  type Caller,
  creationOptions,
  type PasskeyHolder,
  PasskeyStory,
  requestOptions,
} from '../support/passkey-story.js';
import { onEachEngine } from '../support/story-database.js';

/** Assertions that the schema of the body rejects, so that no attempt is charged. */
const MALFORMED = new Set([
  'empty client data',
  'no client data',
  'empty authenticator data',
  'an empty id',
  'no id',
  'another type of credential',
  'no response',
  'an empty signature',
  'a signature with characters outside base64url',
  'authenticator data with characters outside base64url',
  'client data in base64 with padding',
  'a signature with a line break',
  'no signature',
  'no authenticator data',
  'a user handle that is a number',
]);
/** Assertions that are larger than a body may be. */
const OVERSIZED = new Set(['authenticator data with 64 KiB after it', 'a signature of 64 KiB']);
/** Events of the other attempts, unless the assertion itself is wrong. */
const EVENTS: Readonly<Record<string, readonly [kind: string, reason: string]>> = {
  'another challenge': ['MFA_FAILED', 'challenge'],
  'an empty challenge': ['MFA_FAILED', 'challenge'],
  'an id that is not the raw id': ['MFA_FAILED', 'unknown_passkey'],
  'the id of another passkey': ['MFA_FAILED', 'unknown_passkey'],
  'a counter that does not move': ['PASSKEY_COUNTER', 'passkey_counter'],
};

onEachEngine('hostile assertions', (engine) => {
  const story = storyOn(engine, { people: 10 });
  const passkeys = new PasskeyStory(story);
  /** The user of the last test, if that passed. */
  let intact: PasskeyHolder | undefined;

  /** A user with all attempts left and a passkey whose counter is above zero. */
  async function anybody(): Promise<PasskeyHolder> {
    const known = intact;
    intact = undefined;
    if (known) return known;
    const holder = await passkeys.holder();
    await passkeys.signIn(holder);
    return holder;
  }

  it.each([...HOSTILE_ASSERTIONS, ...UNCHECKED_ASSERTIONS])(
    'an assertion with $title is rejected and changes nothing',
    async ({ title, overrides }) => {
      const holder = await anybody();
      const client = story.client();
      const bearer = await story.mfaToken(holder, client);
      const assertion = await passkeys.assertion(client, { bearer }, holder.authenticator, overrides(passkeys.site));
      const [before, events] = [await passkeys.stored(), await story.events(holder)];

      const answer = await assert(client, { bearer }, assertion);

      const added = (await story.events(holder)).slice(events.length);
      if (MALFORMED.has(title)) expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
      else if (OVERSIZED.has(title)) expect(answer).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
      else expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
      const expected =
        MALFORMED.has(title) || OVERSIZED.has(title) ? [] : [EVENTS[title] ?? ['MFA_FAILED', 'wrong_passkey']];
      expect(added.map(({ kind, reason }) => [kind, reason])).toEqual(expected);
      expect(await passkeys.stored()).toEqual(before);
      await passkeys.signIn(holder, client);
      intact = holder;
    },
  );
});
