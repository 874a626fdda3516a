import { expect, it } from 'vitest';
import { onEachEngine } from '../../support/database/story-database.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { formOf, submit, visit } from '../../support/pages/pages.js';

const LOGIN = '/portal/login';
const WRONG = 'not the one';

onEachEngine('the mail address as username', (engine) => {
  const story = storyOn(engine, {
    people: 24,
    args: ['--app.security.rate-limit.enabled=true', '--app.security.rate-limit.login-id-failures=3'],
  });

  async function withAddress(address: (id: string) => string): Promise<Person & { readonly email: string }> {
    const person = story.person();
    const email = address(person.id);
    await story.database.query('UPDATE account SET email = ?, email_key = ? WHERE login_id = ?', [
      email,
      email.toLowerCase(),
      person.id,
    ]);
    return { ...person, email };
  }

  function login(id: string, pw: string, client: HttpClient = story.client()): Promise<Answer> {
    return client.post('/login', { id, pw });
  }

  it('U3: a user signs in with the mail address in any case, by the API and by the page', async () => {
    const person = await withAddress((id) => `${id}.Kim@Harbour.example`);

    for (const id of [person.email, person.email.toLowerCase(), ` ${person.email.toUpperCase()} `]) {
      expect(await login(id, person.password)).toBeAnswered(200);
    }
    const client = story.client();
    const done = await submit(client, await visit(client, LOGIN), { id: person.email, pw: person.password });
    expect(done).toBeAnswered(303);
    expect((await client.get('/session')).body['id']).toBe(person.id);
  });

  it('U3: the login id comes before the address of another account', async () => {
    const owner = await withAddress((id) => `${id}@harbour.example`);
    await story.database.query('UPDATE account SET login_id = ? WHERE login_id = ?', [owner.email, story.person().id]);

    const opened = story.client();
    expect(await opened.post('/session', { id: owner.email, pw: PASSWORD })).toBeAnswered(200);

    expect((await opened.get('/session')).body['id']).toBe(owner.email);
  });

  it('U3: an address of two accounts, an unknown one and a wrong password get the same response', async () => {
    const known = await withAddress((id) => `${id}@harbour.example`);
    const shared = await withAddress((id) => `shared-${id}@harbour.example`);
    const other = await withAddress(() => shared.email.toUpperCase());
    const told = async (id: string, pw: string): Promise<unknown> => {
      const { status, body } = await login(id, pw);
      return { status, ...body, request_id: '', timestamp: '' };
    };

    const answers = [
      await told(known.email, WRONG),
      await told(shared.email, PASSWORD),
      await told(other.email, PASSWORD),
      await told('nobody@harbour.example', PASSWORD),
    ];

    expect(answers[0]).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await login(shared.id, PASSWORD)).toBeAnswered(200);
  });

  it('U3: an address that changes opens nothing any longer', async () => {
    const person = await withAddress((id) => `${id}@harbour.example`);
    await story.database.query('UPDATE account SET email = NULL WHERE login_id = ?', [person.id]);

    expect(await login(person.email, person.password)).toBeRefused(401, 'INVALID_CREDENTIALS');
  });

  it('U3: guesses by the address count for the account, and those by the login id for the address', async () => {
    const person = await withAddress((id) => `${id}@harbour.example`);
    for (const id of [person.email, person.id, person.email.toUpperCase()]) {
      expect(await login(id, WRONG)).toBeRefused(401, 'INVALID_CREDENTIALS');
    }

    expect(await login(person.email, person.password)).toBeRefused(429, 'RATE_LIMITED');
    expect(await login(person.id, person.password)).toBeRefused(429, 'RATE_LIMITED');
    const unknown = 'unknown@harbour.example';
    for (let time = 0; time < 3; time += 1) expect(await login(unknown, WRONG)).toBeAnswered(401);
    expect(await login(unknown, WRONG)).toBeRefused(429, 'RATE_LIMITED');
  });

  it('U3: the same form by the address, sent again after the sign-in, signs nobody in again', async () => {
    const person = await withAddress((id) => `${id}@harbour.example`);
    const client = story.client();
    const page = await visit(client, LOGIN);
    const typed = { id: person.email, pw: person.password };
    expect(await submit(client, page, typed)).toBeAnswered(303);
    const session = client.cookie('SESSION');

    expect(await submit(client, page, { ...typed, pw: 'not looked at' })).toBeAnswered(303);

    expect(client.cookie('SESSION')).toBe(session);
    expect(formOf(client, page).fields['id']).toBe('');
  });

  it('U3: the second step and the setup say who is signing in', async () => {
    const person = await story.enrolled();
    await story.database.query('UPDATE account SET email = ?, email_key = ? WHERE login_id = ?', [
      'first.kim@harbour.example',
      'first.kim@harbour.example',
      person.id,
    ]);
    const client = story.client();
    await submit(client, await visit(client, LOGIN), { id: 'First.Kim@harbour.example', pw: person.password });

    const verify = await visit(client, '/2fa/portal/verify');
    await submit(client, verify, { code: story.nextCode(person) });
    story.clock.advance(301);
    const stepUp = await visit(client, '/2fa/portal/verify');
    const setup = await visit(client, '/2fa/portal/setup');

    expect(verify.text).toContain(`You are signing in as <strong>${person.id}</strong>`);
    for (const { text } of [stepUp, setup])
      expect(text).toContain(`You are signed in as <strong>${person.id}</strong>`);
  });
});
