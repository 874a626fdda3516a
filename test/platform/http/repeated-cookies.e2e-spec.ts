import { describe, expect, it } from 'vitest';
import { type HttpClient, setCookie } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { BROWSER } from '../../support/pages/pages.js';
import { staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

/** The session cookie of a Spring Session application on a parent domain. */
const THEIRS = 'MzU0ZTk5YzQtZDVkYS00YTI0LWJjNTMtNjU1N2Q1YTc0ZTVk';
/** A text of the same length as a token of the service. */
const ALIKE = 'x'.repeat(43);

onSqlite('cookies of the same name', (engine) => {
  const story = storyOn(engine, { people: 20 });

  async function signedIn(): Promise<HttpClient> {
    const person = story.person();
    const { client } = await story.signInByPassword(person);
    expect(await client.post('/session', { id: person.id, pw: person.password })).toBeAnswered(200);
    return client;
  }

  describe.each([
    ['in front', (name: string, own: string) => `${name}=${THEIRS}; ${name}=${ALIKE}; ${name}=${own}`],
    ['behind', (name: string, own: string) => `${name}=${own}; ${name}=${THEIRS}`],
  ])('A1: with cookies of other services %s', (_, sent) => {
    const headersFor = (client: HttpClient, name: string): Readonly<Record<string, string>> => ({
      cookie: sent(name, client.cookie(name) ?? ''),
    });

    it('A1: the session of this service is used and ended', async () => {
      const client = await signedIn();
      const headers = headersFor(client, 'SESSION');

      expect(await client.get('/session', { headers })).toBeAnswered(200);
      expect(await client.get('/portal/security', { headers: { ...BROWSER, ...headers } })).toBeAnswered(200);
      expect(await client.delete('/session', { headers })).toBeAnswered(204);
      expect(await client.get('/session', { headers })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('A1: the refresh token of this service is exchanged', async () => {
      const client = await signedIn();

      expect(await client.post('/token/refresh', {}, { headers: headersFor(client, 'refresh_token') })).toBeAnswered(
        200,
      );
    });
  });

  it('A1: many values of a name are not all looked up', async () => {
    const client = await signedIn();
    const cookie = `${`SESSION=${ALIKE}; `.repeat(50)}SESSION=${client.cookie('SESSION') ?? ''}`;

    expect(await client.get('/session', { headers: { cookie } })).toBeAnswered(200);
    const others = Array.from({ length: 50 }, (__, at) => `SESSION=${String(at).padStart(43, 'x')}`).join('; ');
    expect(
      await client.get('/session', { headers: { cookie: `${others}; SESSION=${client.cookie('SESSION') ?? ''}` } }),
    ).toBeRefused(401, 'INVALID_TOKEN');
  });
});

const OVER_HTTPS = { 'x-forwarded-host': 'login.example.com', 'x-forwarded-proto': 'https' };

onSqlite('the name of the session cookie', (engine) => {
  const story = storyOn(engine, {
    people: 4,
    args: ['--server.forward-headers-strategy=native', '--app.security.cookie.session-name=LOGIN'],
  });

  it('A1: the cookie has the prefix __Host- over https, and a cookie without it is not accepted', async () => {
    const { id, password } = story.person();
    const client = story.client();

    const answer = await client.post('/session', { id, pw: password }, { headers: OVER_HTTPS });

    expect(setCookie(answer, '__Host-LOGIN')?.attributes).toMatchObject({ path: '/', secure: true, httponly: true });
    expect(await client.get('/session', { headers: OVER_HTTPS })).toBeAnswered(200);
    const planted = { ...OVER_HTTPS, cookie: `LOGIN=${client.cookie('__Host-LOGIN') ?? ''}` };
    expect(await client.get('/session', { headers: planted })).toBeRefused(401, 'INVALID_TOKEN');
    expect(await client.delete('/session', { headers: OVER_HTTPS })).toBeAnswered(204);
    expect(client.cookie('__Host-LOGIN')).toBeUndefined();
  });

  it('A1: the cookie has the configured name over http, as on localhost', async () => {
    const { id, password } = story.person();
    const client = story.client();

    const answer = await client.post('/session', { id, pw: password });

    expect(setCookie(answer, 'LOGIN')?.value).toBeDefined();
    expect(await client.get('/session')).toBeAnswered(200);
  });
});

onSqlite('the cookie of pending staff logins', (engine) => {
  const staff = staffStoryOn(engine);

  /** Sends the cookies of another service beside those of this one with every request. */
  function withTheirs(client: HttpClient, theirs: string, isInFront: boolean): void {
    const own = client.cookie('saml_request') ?? '';
    const values = isInFront ? [theirs, own] : [own, theirs];
    client.headers['cookie'] = values
      .filter((value) => value !== '')
      .map((value) => `saml_request=${value}`)
      .join('; ');
  }

  describe.each([
    ['of another form', THEIRS],
    ['of the same form', ALIKE],
    ['with as many secrets as ours', [1, 2, 3, 4].map((digit) => String(digit).repeat(43)).join('.')],
  ])('A1: with a cookie of another service %s', (_, theirs) => {
    it.each([
      ['in front', true],
      ['behind', false],
    ])('A1: %s, two tabs can complete their staff logins', async (__, isInFront) => {
      const client = staff.client();
      const requests = [];
      for (let tab = 0; tab < 2; tab++) {
        withTheirs(client, theirs, isInFront);
        requests.push(await staff.depart(client));
      }

      for (const [at, request] of requests.toReversed().entries()) {
        withTheirs(client, theirs, isInFront);
        const answer = await staff.arrive(client, staff.posted(staff.response(request), request));

        expect(answer.status, `tab ${at}: ${answer.text}`).toBe(303);
      }
    });
  });

  it('A1: many values of the cookie are not all compared', async () => {
    const client = staff.client();
    const request = await staff.depart(client);
    const others = Array.from({ length: 50 }, (_, at) => `saml_request=${String(at).padStart(43, 'x')}`).join('; ');
    client.headers['cookie'] = `${others}; saml_request=${client.cookie('saml_request') ?? ''}`;

    const answer = await staff.arrive(client, staff.posted(staff.response(request), request));

    expect(answer).toBeRefused(401, 'SAML_RESPONSE_INVALID');
    expect(await staff.lastRejection()).toBe('other_browser');
  });
});

onSqlite('other cookies of this service', (engine) => {
  const story = storyOn(engine, { people: 4, args: ['--app.security.mfa.trusted-device.enabled=true'] });

  it.each([
    ['in front', (own: string) => `trusted_device=${ALIKE}; trusted_device=${own}`],
    ['behind', (own: string) => `trusted_device=${own}; trusted_device=${ALIKE}`],
  ])('A1: with a trusted_device of another service %s, the browser skips the second step', async (_, sent) => {
    const person = await story.enrolled();
    const client = story.client();
    await story.signIn(person, client, { trust_device: true });
    const headers = { cookie: sent(client.cookie('trusted_device') ?? '') };

    const answer = await client.post('/login', { id: person.id, pw: person.password }, { headers });

    expect(answer.body['mfa_required']).toBe(false);
  });

  it.each([
    ['a language that this service lacks', 'language=de; language=ko'],
    ['text', 'language=x-y; language=ko'],
  ])('A1: with a cookie language of another service, %s, pages have the language of this one', async (_, cookie) => {
    for (const path of ['/portal/login', '/portal/no-such-page']) {
      const { text } = await story.client().get(path, { headers: { ...BROWSER, cookie } });
      expect(text, path).toContain('<html lang="ko">');
    }
  });
});
