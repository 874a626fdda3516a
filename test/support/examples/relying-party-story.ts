import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, onEachEngine } from '../database/story-database.js';
import { type Enrolled, type Person } from '../login/login-story.js';
import { freePort } from '../programs/free-port.js';
import type { KeptProcess } from '../programs/kept-process.js';
import { waitUntil } from '../runner/wait-until.js';
import { type Command, startExample } from './example-program.js';
import { storyInTurns } from './story-in-turns.js';
import { type Shown, WebBrowser } from './web-browser.js';

/** A web application with the pages `/` and `/payments`; the second one demands a one-time code. */
export interface RelyingPartyExample {
  readonly name: string;
  /** `needs(…)`, if it needs a program. */
  readonly describe?: (title: string, tests: () => void) => void;
  readonly start: () => Command;
  /** The path to which users return from the sign-in. */
  readonly callback: string;
  /** The path of back-channel logouts, if it receives any. */
  readonly backchannel?: string;
  /** The path that signs out; by default a form of the page does. */
  readonly signOut?: (application: string) => string;
}

const CLIENT_ID = 'example';
const CLIENT_SECRET = 'a-secret-of-the-example-0123456789';

/** The claims that every example proves: with one service, and with two that share a database and take turns. */
export async function signsUsersIn(example: RelyingPartyExample): Promise<void> {
  const ports = { SQLite: [await freePort(), await freePort()], MariaDB: [await freePort(), await freePort()] };
  const tests = (engine: Engine): void => {
    const [servicePort = 0, port = 0] = ports[engine.name === 'SQLite' ? 'SQLite' : 'MariaDB'];
    const issuer = `http://localhost:${servicePort}`;
    const application = `http://localhost:${port}`;
    const story = storyInTurns(engine, servicePort, [
      `--app.security.clients.${CLIENT_ID}.secret=${CLIENT_SECRET}`,
      `--app.security.clients.${CLIENT_ID}.redirect-uris=${application}${example.callback}`,
      `--app.security.clients.${CLIENT_ID}.post-logout-redirect-uris=${application}/`,
      ...(example.backchannel === undefined
        ? []
        : [`--app.security.clients.${CLIENT_ID}.backchannel-logout-uri=${application}${example.backchannel}`]),
    ]);
    let program: KeptProcess;
    beforeAll(async () => {
      const settings = { ISSUER: issuer, CLIENT_ID, CLIENT_SECRET, PORT: String(port) };
      program = await startExample(application, example.start(), settings);
    }, 100_000);
    afterAll(() => program.stop());

    const isAtService = ({ url }: Shown): boolean => url.startsWith(`${issuer}/`);
    // Some frameworks add parameters of their own.
    const pageOf = ({ url }: Shown): string => url.replace(/\?.*/, '');
    const payments = `${application}/payments`;
    const signIn = async (browser: WebBrowser, person: Person): Promise<Shown> =>
      browser.submit(await browser.open(payments), { id: person.id, pw: person.password });
    const signInWithCode = async (browser: WebBrowser, person: Enrolled): Promise<Shown> =>
      browser.submit(await signIn(browser, person), { code: story.nextCode(person) });

    it('a user reaches the protected page with password and one-time code, and is known there', async () => {
      const person = await story.enrolled();
      const browser = new WebBrowser();

      const shown = await signInWithCode(browser, person);

      expect(pageOf(shown)).toBe(payments);
      expect(shown.answer).toBeAnswered(200);
      expect(shown.answer.text).toContain(person.id);
      expect(pageOf(await browser.open(payments))).toBe(payments);
    });

    it('a user without a second factor is refused on the protected page', async () => {
      const shown = await signIn(new WebBrowser(), story.person());

      expect(isAtService(shown)).toBe(false);
      expect(shown.answer).toBeAnswered(403);
    });

    it('a response of a sign-in signs nobody in a second time', async () => {
      const browser = new WebBrowser();
      await signInWithCode(browser, await story.enrolled());
      const [response = ''] = browser.led.filter((url) => new URL(url).searchParams.has('code'));
      const other = new WebBrowser();

      await other.open(response);

      expect(response).toContain(application);
      expect(isAtService(await other.open(payments))).toBe(true);
    });

    it('a sign-out in the application ends the sessions here and there', async () => {
      const browser = new WebBrowser();
      const page = await signInWithCode(browser, await story.enrolled());

      const { signOut } = example;
      const left = await (signOut === undefined
        ? browser.submit(page, {}, 'Sign out')
        : browser.open(application + signOut(application)));

      expect(pageOf(left)).toBe(`${application}/`);
      expect(await browser.at(issuer).get('/session')).toBeAnswered(401);
      expect(isAtService(await browser.open(payments))).toBe(true);
    });

    if (example.backchannel === undefined) return;

    it('a sign-out at the service ends the session of the application', async () => {
      const browser = new WebBrowser();
      await signInWithCode(browser, await story.enrolled());

      await browser.at(issuer).delete('/session');

      await waitUntil('the application has ended its session', async () => isAtService(await browser.open(payments)));
    });
  };
  (example.describe ?? describe)(example.name, () => {
    onEachEngine('signs users in', tests);
  });
}
