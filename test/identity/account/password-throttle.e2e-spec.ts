import { describe, expect, it } from 'vitest';
import { type Answer, basic, type HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

/** Far more attempts than the free failures. */
const RUN = 25;
const CLIENT_SECRET = 'a-resource-server-knows-this-9f2c';

onSqlite('P3: throttling of wrong passwords', (engine) => {
  const story = storyOn(engine, {
    people: 30,
    throttled: true,
    args: [`--app.security.clients.shop.secret=${CLIENT_SECRET}`],
  });
  let addresses = 256;

  /** A client with an address that no other client uses. */
  function clientElsewhere(): HttpClient {
    addresses += 1;
    const client = story.client();
    client.address = `127.0.${addresses >> 8}.${(addresses & 255) + 2}`;
    return client;
  }

  function guess(client: HttpClient, { id }: Pick<Person, 'id'>, pw = 'wrong'): Promise<Answer> {
    return client.post('/login', { id, pw });
  }

  async function run(send: () => Promise<Answer>): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    for (let tries = 0; tries < RUN; tries += 1) answers.push(await send());
    return answers;
  }

  function limited(answers: readonly Answer[]): readonly Answer[] {
    return answers.filter(({ status }) => status === 429);
  }

  it('throttles one login id after ten failures and sends Retry-After', async () => {
    const person = story.person();
    const client = clientElsewhere();

    const answers = await run(() => guess(client, person));

    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401));
    const refused = limited(answers);
    expect(refused.length).toBeGreaterThan(10);
    for (const answer of refused) {
      expect(answer).toBeRefused(429, 'RATE_LIMITED');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('throttles known and unknown login ids alike', async () => {
    const outcome = (answers: readonly Answer[]): readonly unknown[] =>
      answers.map(({ status, headers, body }) => [status, headers.get('retry-after'), body['code']]);
    const person = story.person();
    const [atKnown, atUnknown] = [clientElsewhere(), clientElsewhere()];

    const known = await run(() => guess(atKnown, person));
    const unknown = await run(() => guess(atUnknown, { id: 'nobody-at-all' }));

    expect(outcome(unknown)).toEqual(outcome(known));
  });

  it('counts all spellings of a login id together', async () => {
    const { id } = story.person();
    const spellings = [id, id.toUpperCase(), ` ${id}`, id.replace('p', '\uff50')];
    const client = clientElsewhere();
    let turn = 0;

    const answers = await run(() => {
      turn += 1;
      return guess(client, { id: spellings[turn % spellings.length] ?? id });
    });

    expect(limited(answers).length).toBeGreaterThan(10);
  });

  it('throttles each address sooner when many addresses guess one login id', async () => {
    const person = story.person();
    for (let tries = 0; tries < 120; tries += 1) await guess(clientElsewhere(), person);
    const next = clientElsewhere();

    const answers = await run(() => guess(next, person));

    expect(limited(answers).length).toBeGreaterThanOrEqual(RUN - 2);
    expect(await guess(clientElsewhere(), person, PASSWORD)).toBeAnswered(200);
  });

  it('never locks the owner out: the wait is at most 60 seconds, and the correct password works after it', async () => {
    const person = story.person();
    const client = clientElsewhere();
    let longest = 0;
    for (let tries = 0; tries < 60; tries += 1) {
      const wait = Number((await guess(client, person)).headers.get('retry-after'));
      longest = Math.max(longest, wait);
      story.clock.advance(wait);
    }
    const refused = await guess(client, person, PASSWORD);
    const wait = Number(refused.headers.get('retry-after'));

    story.clock.advance(wait);

    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(60);
    expect(await guess(client, person, PASSWORD)).toBeAnswered(200);
  });

  it('does not throttle the owner at another address, nor a browser that signed in before at the same address', async () => {
    const person = story.person();
    const owner = clientElsewhere();
    await story.login(person, owner);
    const attacker = clientElsewhere();
    owner.address = attacker.address;
    await run(() => guess(attacker, person));

    expect(await guess(attacker, person, PASSWORD)).toBeRefused(429, 'RATE_LIMITED');
    expect(await guess(owner, person, PASSWORD)).toBeAnswered(200);
    expect(await guess(clientElsewhere(), person, PASSWORD)).toBeAnswered(200);
  });

  it('throttles guesses that carry the cookie of another account', async () => {
    const [person, accomplice] = [story.person(), story.person()];
    const attacker = clientElsewhere();
    await story.login(accomplice, attacker);

    const answers = await run(() => guess(attacker, person));

    expect(limited(answers).length).toBeGreaterThan(10);
  });

  it('does not throttle correct passwords of other users at other addresses', async () => {
    const victim = story.person();
    await run(() => guess(clientElsewhere(), victim));
    const [client, friend] = [clientElsewhere(), story.person()];

    for (let logins = 0; logins < RUN; logins += 1) {
      expect(await guess(client, friend, PASSWORD)).toBeAnswered(200);
    }
  });

  it('wrong passwords do not affect the second factor: the correct one still requires a one-time code', async () => {
    const person = await story.enrolled(story.person(), clientElsewhere());
    await run(() => guess(clientElsewhere(), person));
    story.clock.advance(3600);

    const answer = await guess(clientElsewhere(), person, PASSWORD);

    expect(answer).toBeAnswered(200);
    expect(answer.body['mfa_required']).toBe(true);
  });

  describe('other endpoints that check a password', () => {
    it('POST /session is throttled', async () => {
      const { id } = story.person();
      const client = clientElsewhere();

      const answers = await run(() => client.post('/session', { id, pw: 'wrong' }));

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('the failures of a login id at /login and /session are counted together', async () => {
      const { id } = story.person();
      const client = clientElsewhere();
      let turn = 0;

      const answers = await run(() => {
        turn += 1;
        return client.post(turn % 2 === 0 ? '/session' : '/login', { id, pw: 'wrong' });
      });

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('pw of POST /2fa/setup is throttled', async () => {
      const client = clientElsewhere();
      const { accessToken: bearer } = await story.signInByPassword(story.person(), client);
      story.clock.advance(301);

      const answers = await run(() => client.post('/2fa/setup', { pw: 'wrong' }, { bearer }));

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('current of POST /me/password is throttled', async () => {
      const client = clientElsewhere();
      const { accessToken: bearer } = await story.signInByPassword(story.person(), client);

      const answers = await run(() =>
        client.post('/me/password', { current: 'wrong', new: 'eight loud lanterns & 2 harbours' }, { bearer }),
      );

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('the Basic credentials of POST /token/introspect are throttled', async () => {
      const authorization = `Basic ${Buffer.from('shop:wrong').toString('base64')}`;
      const client = clientElsewhere();

      const answers = await run(() =>
        client.send('POST', '/token/introspect', { form: { token: 'x' }, headers: { authorization } }),
      );

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it.each([
      ['a known client', ['shop', 's.hop', 's..hop', 'SHOP', 's-h-o-p', '%73hop']],
      ['an unknown client', ['store', 's.tore', 's..tore', 'STORE', 's-t-o-r-e', '%73tore']],
    ])('H3: introspection counts guesses for all spellings of %s together', async (_, spellings) => {
      const client = clientElsewhere();
      let turn = 0;

      const answers = await run(() => {
        turn += 1;
        const headers = basic(spellings[turn % spellings.length] ?? '', 'wrong');
        return client.send('POST', '/token/introspect', { form: { token: 'x' }, headers });
      });

      expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401));
      expect(limited(answers).length).toBeGreaterThan(10);
    });
  });

  it('throttles one address that guesses many login ids', async () => {
    const client = clientElsewhere();
    const answers: Answer[] = [];
    for (let tries = 0; tries < 320; tries += 1) answers.push(await guess(client, { id: `guess-${tries}` }));

    expect(limited(answers).length).toBeGreaterThan(5);
    expect(limited(answers.slice(0, 250))).toEqual([]);
    expect(await guess(clientElsewhere(), story.person(), PASSWORD)).toBeAnswered(200);
  });
});
