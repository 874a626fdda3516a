import { expect, it } from 'vitest';
import { onEachEngine, onSqlite } from '../../support/database/story-database.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { PASSKEY_ALGORITHMS, PasskeyKey } from '../../support/passkey/passkey-key.js';
import { signInByPasskey } from '../../support/passkey/passkey-login.js';
import { PasskeyStory } from '../../support/passkey/passkey-story.js';

const SIGN_IN = '--app.security.mfa.passkey.sign-in=on';
/** More than lock an account for good. `npm run bench -- passkey` sends 10,000. */
const FORGED = 120;
const FREE = 20;

onEachEngine('forged assertions of a sign-in by passkey alone', (engine) => {
  const story = storyOn(engine, { people: 8, args: [SIGN_IN] });
  const passkeys = new PasskeyStory(story);

  async function kindsOf(person: Pick<Person, 'id'>): Promise<readonly string[]> {
    return (await story.events(person)).map(({ kind }) => kind);
  }

  it.each(PASSKEY_ALGORITHMS)(
    'U6, T11: outsiders who know the id of a passkey with %s cannot lock its account or write its history',
    async (algorithm) => {
      const holder = await passkeys.holder({ algorithm });
      const { stored: before } = await passkeys.snapshot();
      const history = await kindsOf(holder);
      const signer = PasskeyKey.generate(algorithm);
      const outsiders = Array.from({ length: 6 }, () => story.client());

      const answers = await Promise.all(
        outsiders.map(async (client) => {
          const codes = new Set<unknown>();
          for (let number = 0; number < FORGED / outsiders.length; number += 1) {
            codes.add((await signInByPasskey(client, holder.authenticator, { signer })).body['code']);
          }
          return [...codes];
        }),
      );

      expect(answers.flat()).toEqual(outsiders.map(() => 'INVALID_CREDENTIALS'));
      const columns = 'failures, failures_in_row, lock_level, last_attempt_at';
      const sql = `SELECT ${columns} FROM account WHERE login_id = ?`;
      const [account] = await story.database.query<Record<string, number>>(sql, [holder.id]);
      expect(Object.values(account ?? {}).slice(0, 3)).toEqual([0, 0, 0]);
      expect((await passkeys.snapshot()).stored).toEqual(before);
      expect(await kindsOf(holder)).toEqual(history);
      expect(await signInByPasskey(story.client(), holder.authenticator)).toBeAnswered(200);
      expect((await passkeys.signIn(holder)).answer).toBeAnswered(200);
    },
  );
});

onSqlite('the throttle of sign-ins by passkey alone', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    throttled: true,
    args: [SIGN_IN, `--app.security.rate-limit.address-failures=${FREE}`],
  });
  const passkeys = new PasskeyStory(story);

  it('U6: the address is charged: after its free failures it has to wait, also with a valid passkey, but not with passwords', async () => {
    const holder = await passkeys.holder();
    const signer = PasskeyKey.generate('ES256');
    const client = story.client();
    for (let number = 0; number < FREE; number += 1) {
      expect(await signInByPasskey(client, holder.authenticator, { signer })).toBeRefused(401, 'INVALID_CREDENTIALS');
    }

    const forged = await signInByPasskey(client, holder.authenticator, { signer });
    const valid = await signInByPasskey(client, holder.authenticator);

    for (const answer of [forged, valid]) {
      expect(answer).toBeRefused(429, 'RATE_LIMITED');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await passkeys.signIn(holder)).answer).toBeAnswered(200);
    story.clock.advance(60);
    expect(await signInByPasskey(client, holder.authenticator)).toBeAnswered(200);
  });
});
