import { describe, expect, it } from 'vitest';
import { type Answer, basic, type HttpClient } from '../support/http-client.js';
import { PASSWORD, type Person, storyOn } from '../support/login-story.js';
import { onSqlite } from '../support/story-database.js';

/** Far more than the free ones. */
const RUN = 25;
const CLIENT_SECRET = 'a-resource-server-knows-this-9f2c';

onSqlite('P3: a run of wrong passwords', (engine) => {
  const story = storyOn(engine, {
    people: 30,
    throttled: true,
    args: [`--app.security.clients.shop.secret=${CLIENT_SECRET}`],
  });
  let addresses = 256;

  /** Somebody at an address of their own. */
  function elsewhere(): HttpClient {
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

  it('for one login id is slowed down, with the time to wait', async () => {
    const person = story.person();
    const client = elsewhere();

    const answers = await run(() => guess(client, person));

    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401));
    const refused = limited(answers);
    expect(refused.length).toBeGreaterThan(10);
    for (const answer of refused) {
      expect(answer).toBeRefused(429, 'RATE_LIMITED');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('is slowed down alike for ids that are known and unknown', async () => {
    const outcome = (answers: readonly Answer[]): readonly unknown[] =>
      answers.map(({ status, headers, body }) => [status, headers.get('retry-after'), body['code']]);
    const person = story.person();
    const [atKnown, atUnknown] = [elsewhere(), elsewhere()];

    const known = await run(() => guess(atKnown, person));
    const unknown = await run(() => guess(atUnknown, { id: 'nobody-at-all' }));

    expect(outcome(unknown)).toEqual(outcome(known));
  });

  it('is counted together in every spelling of the id', async () => {
    const { id } = story.person();
    const spellings = [id, id.toUpperCase(), ` ${id}`, id.replace('p', '\uff50')];
    const client = elsewhere();
    let turn = 0;

    const answers = await run(() => {
      turn += 1;
      return guess(client, { id: spellings[turn % spellings.length] ?? id });
    });

    expect(limited(answers).length).toBeGreaterThan(10);
  });

  it('from many addresses is slowed down at each of them sooner', async () => {
    const person = story.person();
    for (let tries = 0; tries < 120; tries += 1) await guess(elsewhere(), person);
    const next = elsewhere();

    const answers = await run(() => guess(next, person));

    expect(limited(answers).length).toBeGreaterThanOrEqual(RUN - 2);
    expect(await guess(elsewhere(), person, PASSWORD)).toBeAnswered(200);
  });

  it('never shuts the owner out: the wait is bounded, and the right password is heard after it', async () => {
    const person = story.person();
    const client = elsewhere();
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

  it('does not slow down its owner elsewhere, nor beside it a browser that signed in before', async () => {
    const person = story.person();
    const owner = elsewhere();
    await story.login(person, owner);
    const attacker = elsewhere();
    owner.address = attacker.address;
    await run(() => guess(attacker, person));

    expect(await guess(attacker, person, PASSWORD)).toBeRefused(429, 'RATE_LIMITED');
    expect(await guess(owner, person, PASSWORD)).toBeAnswered(200);
    expect(await guess(elsewhere(), person, PASSWORD)).toBeAnswered(200);
  });

  it('with the cookie of another account is slowed down all the same', async () => {
    const [person, accomplice] = [story.person(), story.person()];
    const attacker = elsewhere();
    await story.login(accomplice, attacker);

    const answers = await run(() => guess(attacker, person));

    expect(limited(answers).length).toBeGreaterThan(10);
  });

  it('does no harm to other users at other addresses, nor to those who know their password', async () => {
    const victim = story.person();
    await run(() => guess(elsewhere(), victim));
    const [client, friend] = [elsewhere(), story.person()];

    for (let logins = 0; logins < RUN; logins += 1) {
      expect(await guess(client, friend, PASSWORD)).toBeAnswered(200);
    }
  });

  it('moves no second factor: a right password after it still asks for the code', async () => {
    const person = await story.enrolled(story.person(), elsewhere());
    await run(() => guess(elsewhere(), person));
    story.clock.advance(3600);

    const answer = await guess(elsewhere(), person, PASSWORD);

    expect(answer).toBeAnswered(200);
    expect(answer.body['mfa_required']).toBe(true);
  });

  describe('at the other places that take one', () => {
    it('is slowed down at POST /session', async () => {
      const { id } = story.person();
      const client = elsewhere();

      const answers = await run(() => client.post('/session', { id, pw: 'wrong' }));

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('shares the count of one id between /login and /session', async () => {
      const { id } = story.person();
      const client = elsewhere();
      let turn = 0;

      const answers = await run(() => {
        turn += 1;
        return client.post(turn % 2 === 0 ? '/session' : '/login', { id, pw: 'wrong' });
      });

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('is slowed down at pw of setup', async () => {
      const client = elsewhere();
      const { accessToken: bearer } = await story.signInByPassword(story.person(), client);
      story.clock.advance(301);

      const answers = await run(() => client.post('/2fa/setup', { pw: 'wrong' }, { bearer }));

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('is slowed down at current of a password change', async () => {
      const client = elsewhere();
      const { accessToken: bearer } = await story.signInByPassword(story.person(), client);

      const answers = await run(() =>
        client.post('/me/password', { current: 'wrong', new: 'eight loud lanterns & 2 harbours' }, { bearer }),
      );

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it('is slowed down at the Basic of introspection', async () => {
      const authorization = `Basic ${Buffer.from('shop:wrong').toString('base64')}`;
      const client = elsewhere();

      const answers = await run(() =>
        client.send('POST', '/token/introspect', { form: { token: 'x' }, headers: { authorization } }),
      );

      expect(limited(answers).length).toBeGreaterThan(10);
    });

    it.each([
      ['a client', ['shop', 's.hop', 's..hop', 'SHOP', 's-h-o-p', '%73hop']],
      ['no client', ['store', 's.tore', 's..tore', 'STORE', 's-t-o-r-e', '%73tore']],
    ])('H3: counts guesses at the Basic of introspection together in every spelling of %s', async (_, spellings) => {
      const client = elsewhere();
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

  it('over many ids from one address is slowed down', async () => {
    const client = elsewhere();
    const answers: Answer[] = [];
    for (let tries = 0; tries < 320; tries += 1) answers.push(await guess(client, { id: `guess-${tries}` }));

    expect(limited(answers).length).toBeGreaterThan(5);
    expect(limited(answers.slice(0, 250))).toEqual([]);
    expect(await guess(elsewhere(), story.person(), PASSWORD)).toBeAnswered(200);
  });
});
