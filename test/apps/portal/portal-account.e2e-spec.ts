import { expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type HttpClient, textOf } from '../../support/http/http-client.js';
import { type Enrolled, storyOn } from '../../support/login/login-story.js';
import { follow, submit, visit } from '../../support/pages/pages.js';
import { onSqlite } from '../../support/database/story-database.js';

const SECURITY = '/portal/security';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';

onSqlite('the pages of account security', (engine) => {
  const story = storyOn(engine, { people: 3 });

  /** Signs in on the pages. */
  async function signIn(person: Enrolled, agent = FIREFOX): Promise<HttpClient> {
    const client = story.client();
    client.headers['user-agent'] = agent;
    const first = await submit(client, await visit(client, '/portal/login'), { id: person.id, pw: person.password });
    const second = await submit(client, await follow(client, first), { code: story.nextCode(person) });
    expect(second).toBeAnswered(303);
    return client;
  }

  it('the setting of the language shows the language of mails, also while the page has another one', async () => {
    const client = await signIn(await story.enrolled());
    const { save } = messagesOf('en').common;

    const saved = await submit(client, await visit(client, SECURITY), { language: 'ko' }, {}, save);
    const korean = await follow(client, saved);
    const english = await visit(client, `${SECURITY}?lang=en`);

    expect(korean.text).toContain('<html lang="ko">');
    expect(english.text).toContain('<html lang="en">');
    expect(english.text).toMatch(/<option value="ko" lang="ko" selected>/);
    expect(english.text).not.toMatch(/<option value="en" lang="en" selected>/);
  });

  it('the present session stands first in the list, also if another one is newer', async () => {
    const person = await story.enrolled();
    const older = await signIn(person, FIREFOX);
    await signIn(person, SAFARI);

    const { text } = await visit(older, SECURITY);

    const list = text.slice(text.indexOf('id="sessions"'));
    expect(list.indexOf('Firefox')).toBeGreaterThan(0);
    expect(list.indexOf('Firefox')).toBeLessThan(list.indexOf('Safari'));
    expect(list.indexOf(messagesOf('en').account.thisSession)).toBeLessThan(list.indexOf('Safari'));
  });

  it('the activity tells a replaced authenticator app from the first one', async () => {
    const person = await story.enrolled();
    const { client: app, accessToken: bearer } = await story.signIn(person);
    const setup = await app.post('/2fa/setup', {}, { bearer });
    const replacement = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    story.clock.nextStep();
    const code = story.codeOf(replacement);
    expect(await app.post('/2fa/confirm', { code }, { bearer })).toBeAnswered(200);
    const client = await signIn({ ...person, app: replacement });

    const { text } = await visit(client, `${SECURITY}/activity`);

    const { kinds } = messagesOf('en').activity;
    expect(text.split(`<td>${kinds['MFA_REPLACED']}</td>`)).toHaveLength(2);
    expect(text.split(`<td>${kinds['MFA_CONFIRMED']}</td>`)).toHaveLength(2);
  });
});
