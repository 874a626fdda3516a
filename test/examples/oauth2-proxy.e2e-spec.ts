import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachEngine } from '../support/database/story-database.js';
import { startExample } from '../support/examples/example-program.js';
import { storyInTurns } from '../support/examples/story-in-turns.js';
import { WebBrowser } from '../support/examples/web-browser.js';
import { startEchoApplication } from '../support/forward-auth/echo-application.js';
import { freePort } from '../support/programs/free-port.js';
import type { KeptProcess } from '../support/programs/kept-process.js';
import { programOf } from '../support/runner/binaries.js';

const CLIENT_ID = 'proxy';
const CLIENT_SECRET = 'a-secret-of-the-proxy-0123456789';
const behind = await startEchoApplication();
afterAll(() => behind.stop());
const ports = { SQLite: [await freePort(), await freePort()], MariaDB: [await freePort(), await freePort()] };

onEachEngine('oauth2-proxy', (engine) => {
  const [servicePort = 0, port = 0] = ports[engine.name === 'SQLite' ? 'SQLite' : 'MariaDB'];
  const issuer = `http://localhost:${servicePort}`;
  const url = `http://localhost:${port}`;
  const story = storyInTurns(engine, servicePort, [
    `--app.security.clients.${CLIENT_ID}.secret=${CLIENT_SECRET}`,
    `--app.security.clients.${CLIENT_ID}.redirect-uris=${url}/oauth2/callback`,
  ]);
  let program: KeptProcess;
  beforeAll(async () => {
    const options = {
      ...{ provider: 'oidc', 'oidc-issuer-url': issuer, 'client-id': CLIENT_ID, 'client-secret': CLIENT_SECRET },
      ...{ 'http-address': `127.0.0.1:${port}`, upstream: `http://127.0.0.1:${behind.port}/`, scope: 'openid profile' },
      ...{ 'redirect-url': `${url}/oauth2/callback`, 'skip-provider-button': 'true', 'code-challenge-method': 'S256' },
      ...{ 'cookie-secret': randomBytes(16).toString('hex'), 'cookie-secure': 'false', 'email-domain': '*' },
      // Users of the test have no mail address.
      ...{ 'oidc-email-claim': 'sub', 'insecure-oidc-allow-unverified-email': 'true' },
      'backend-logout-url': `${issuer}/end-session?id_token_hint={id_token}`,
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const settings = { ISSUER: issuer, CLIENT_ID, CLIENT_SECRET, PORT: String(port) };
    program = await startExample(url, { command: programOf('oauth2-proxy'), args }, settings);
  });
  afterAll(() => program.stop());

  it('a user reaches the application, and a sign-out at the proxy ends its session at the service', async () => {
    const person = await story.enrolled();
    const browser = new WebBrowser();

    const password = await browser.submit(await browser.open(`${url}/wiki`), { id: person.id, pw: person.password });
    const shown = await browser.submit(password, { code: story.nextCode(person) });
    await browser.open(`${url}/oauth2/sign_out`);

    expect(shown.url).toBe(`${url}/wiki`);
    expect(shown.answer.text).toContain(person.id);
    // The proxy calls the service itself, without the browser, whose own session goes on.
    expect(await story.countOf(person, 'APPLICATION_SIGNED_OUT')).toBe(1);
  });
});
