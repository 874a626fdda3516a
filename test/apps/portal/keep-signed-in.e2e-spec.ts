import { expect, it } from 'vitest';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { follow, submit, visit } from '../../support/pages/pages.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const LOGIN = '/portal/login';
const KEEP = { keep: 'true' };

onAnyEngine('staying signed in', (engine) => {
  const story = storyOn(engine, { people: 12, args: ['--app.security.session.keep-signed-in-days=7'] });

  /** Sends the form of the sign-in page. */
  async function signIn(person: Person, client: HttpClient, typed: Readonly<Record<string, string>>): Promise<Answer> {
    const page = await visit(client, LOGIN);
    return submit(client, page, { id: person.id, pw: person.password, ...typed });
  }

  async function isSignedIn(client: HttpClient): Promise<boolean> {
    return (await client.get('/session')).status === 200;
  }

  it('U8: the sign-in page offers to stay signed in, which is not chosen at first', async () => {
    const page = await visit(story.client(), LOGIN);

    expect(page.text).toContain('<input type="checkbox" name="keep" value="true">');
    expect(page.text).toContain('Keep me signed in on this device for 7 days');
  });

  it('U8: a browser that is kept signed in has a cookie and a session of seven days, whether or not it is used', async () => {
    const client = story.client();
    const answer = await signIn(story.person(), client, KEEP);
    expect(setCookie(answer, 'SESSION')?.attributes).toMatchObject({ 'max-age': String(7 * DAY), httponly: true });

    story.clock.advance(6 * DAY);
    expect(await isSignedIn(client)).toBe(true);
    story.clock.advance(DAY - 1);
    expect(await isSignedIn(client)).toBe(true);
    story.clock.advance(1);
    expect(await isSignedIn(client)).toBe(false);
  });

  it('U8: a browser that is not kept has a cookie that ends with it, and a session of half an hour without use', async () => {
    const client = story.client();
    const answer = await signIn(story.person(), client, {});
    expect(setCookie(answer, 'SESSION')?.attributes).not.toHaveProperty('max-age');

    story.clock.advance(HOUR / 2);

    expect(await isSignedIn(client)).toBe(false);
  });

  it('U8: the choice holds through the second step, and the cookie between both ends with the browser', async () => {
    const person = await story.enrolled();
    const client = story.client();

    const half = await signIn(person, client, KEEP);
    const whole = await client.post('/2fa/verify', { code: story.nextCode(person) });

    expect(setCookie(half, 'SESSION')?.attributes).not.toHaveProperty('max-age');
    expect(whole.body).toMatchObject({ amr: ['pwd', 'otp'] });
    expect(setCookie(whole, 'SESSION')?.attributes).toMatchObject({ 'max-age': String(7 * DAY) });
  });

  it('U8: staying signed in proves nothing later: methods and times are those of the login', async () => {
    const person = await story.enrolled();
    const client = story.client();
    await signIn(person, client, KEEP);
    await client.post('/2fa/verify', { code: story.nextCode(person) });
    const before = (await client.get('/me')).body;

    story.clock.advance(2 * DAY);

    expect((await client.get('/me')).body).toEqual(before);
    expect(await client.post('/2fa/backup-codes')).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(await client.post('/2fa/disable', { code: story.codeOf(person.app) })).toBeRefused(401, 'STEP_UP_REQUIRED');
  });

  it('U8: a step-up renews the cookie up to the same end', async () => {
    const person = await story.enrolled();
    const client = story.client();
    await signIn(person, client, KEEP);
    await client.post('/2fa/verify', { code: story.nextCode(person) });
    story.clock.advance(DAY);

    const again = await client.post('/2fa/verify', { code: story.nextCode(person) });

    const { attributes } = setCookie(again, 'SESSION') ?? {};
    expect(Number(attributes?.['max-age'])).toBeLessThan(6 * DAY);
    expect(Number(attributes?.['max-age'])).toBeGreaterThan(5 * DAY);
  });

  it('U8: the form after a wrong password keeps the choice', async () => {
    const person = story.person();
    const refused = await signIn({ ...person, password: 'wrong' }, story.client(), KEEP);

    expect(refused.text).toContain('<input type="checkbox" name="keep" value="true" checked>');
  });

  it('U8: the sign-out of a browser that was kept says so before and after, and that of another one does not', async () => {
    const [kept, other] = [story.client(), story.client()];
    await signIn(story.person(), kept, KEEP);
    await signIn(story.person(), other, {});
    const target = '/portal/logout';

    const asked = await visit(kept, target);
    expect(asked.text).toContain('You chose to stay signed in on this browser.');
    const answer = await submit(kept, asked, {}, {}, 'Sign out');
    expect(setCookie(answer, 'SESSION')?.value).toBe('');
    expect((await follow(kept, answer)).text).toContain('This browser no longer keeps you signed in.');
    expect(await isSignedIn(kept)).toBe(false);

    const askedOther = await visit(other, target);
    expect(askedOther.text).not.toContain('stay signed in');
    expect((await follow(other, await submit(other, askedOther, {}, {}, 'Sign out'))).text).not.toContain('no longer');
  });

  it('U8: all sessions that an administrator or a new password ends include those that are kept', async () => {
    const person = story.person();
    const client = story.client();
    await signIn(person, client, KEEP);

    await story.command('users', 'revoke', person.id);

    expect(await isSignedIn(client)).toBe(false);
  });
});

onAnyEngine('a service that keeps no browser signed in', (engine) => {
  const story = storyOn(engine, { people: 2 });

  it('U8: without the key, the page does not offer it, and a form that asks for it gets a usual session', async () => {
    const person = story.person();
    const client = story.client();
    const page = await visit(client, LOGIN);
    expect(page.text).not.toContain('name="keep"');

    const answer = await submit(client, page, { id: person.id, pw: person.password, ...KEEP });

    expect(answer).toBeAnswered(303);
    expect(setCookie(answer, 'SESSION')?.attributes).not.toHaveProperty('max-age');
    story.clock.advance(HOUR / 2);
    expect((await client.get('/session')).status).toBe(401);
  });
});
