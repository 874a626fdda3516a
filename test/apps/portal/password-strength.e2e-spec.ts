import { expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import type { Answer, HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { formOf, submit, visit } from '../../support/pages/pages.js';

const PATH = '/portal/password-strength';

onSqlite('the strength of a password that is being typed', (engine) => {
  const story = storyOn(engine, { people: 10 });

  async function csrfOf(client: HttpClient, path: string): Promise<string> {
    return formOf(client, await visit(client, path)).fields['csrf'] ?? '';
  }

  async function signedIn(): Promise<{ readonly client: HttpClient; readonly id: string }> {
    const client = story.client();
    const { id } = story.person();
    await submit(client, await visit(client, '/portal/login'), { id, pw: PASSWORD });
    return { client, id };
  }

  function estimate(client: HttpClient, csrf: string, password: string, more: object = {}): Promise<Answer> {
    return client.post(PATH, { csrf, password, ...more });
  }

  it('U9: a visitor learns the score of a password and why it would be rejected', async () => {
    const client = story.client();
    const csrf = await csrfOf(client, '/portal/login');

    expect((await estimate(client, csrf, 'short')).body).toEqual({ score: 0, problem: 'too_short' });
    expect((await estimate(client, csrf, 'password')).body).toEqual({ score: 0, problem: 'too_common' });
    expect((await estimate(client, csrf, 'abcdefgh')).body).toEqual({ score: 0, problem: 'sequence' });
    expect((await estimate(client, csrf, 'sora.baek7', { id: 'sora.baek' })).body).toMatchObject({
      problem: 'personal',
    });
    expect((await estimate(client, csrf, 'correct horse battery staple')).body).toEqual({ score: 4 });
  });

  it('U9: the words of a signed-in user are those of the account', async () => {
    const { client, id } = await signedIn();
    const csrf = await csrfOf(client, '/portal/security/password');

    const answer = await estimate(client, csrf, `${id}12`);

    expect(answer).toBeAnswered(200);
    expect(answer.body).toMatchObject({ problem: 'personal' });
  });

  it('U9: a password is estimated for the forms of this service and their browser only', async () => {
    const { client } = await signedIn();
    const own = await csrfOf(client, '/portal/security/password');
    const stranger = story.client();
    const csrf = await csrfOf(stranger, '/portal/login');

    expect(await estimate(story.client(), own, 'kettle orbit seven')).toBeRefused(403, 'CROSS_SITE');
    expect(await estimate(story.client(), csrf, 'kettle orbit seven')).toBeRefused(403, 'CROSS_SITE');
    expect(await estimate(stranger, 'x', 'kettle orbit seven')).toBeRefused(403, 'CROSS_SITE');
    expect(await estimate(stranger, csrf, 'kettle orbit seven')).toBeAnswered(200);
  });

  it('U9: a password that is being typed appears in no line of the log', async () => {
    const client = story.client();
    const csrf = await csrfOf(client, '/portal/login');

    expect(await estimate(client, csrf, 'typed-quartz-lantern')).toBeAnswered(200);

    expect(story.service.stdout).not.toContain('typed-quartz-lantern');
  });
});
