import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../../support/pages/chromium.js';
import { LOOKS, PortalBrowser } from '../../support/pages/portal-browser.js';
import { RelyingParty } from '../../support/oidc/relying-party.js';
import { storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';
import { listenAt } from '../../support/programs/free-port.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { needs } from '../../support/runner/needs.js';

/** The port of a loopback address is free (RFC 8252 section 7.3). The service is at another site, localhost. */
const REGISTERED = 'http://127.0.0.1/callback';

/** An application that frames what its query names, and keeps the requests at its redirect URI. */
class FramingApplication {
  readonly callbacks: IncomingMessage[] = [];
  private readonly server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (pathname === '/callback') this.callbacks.push(request);
    const frame = `<iframe src="${(searchParams.get('frame') ?? '').replaceAll('&', '&amp;')}"></iframe>`;
    response.setHeader('Content-Type', 'text/html').end(pathname === '/frame' ? frame : 'an application');
  });

  private port = 0;

  async start(): Promise<void> {
    this.port = await listenAt(0, this.server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The parameters of the last response, and the header Referer that came with it. */
  get last(): { readonly parameters: URLSearchParams; readonly referer: string | undefined } {
    const request = this.callbacks.at(-1);
    if (!request) throw new Error('no response has arrived');
    return { parameters: new URL(request.url ?? '', this.url).searchParams, referer: request.headers.referer };
  }
}

needs('chromium')('applications in a browser', () => {
  onSqlite('of a signed-in user', (engine) => {
    const application = new FramingApplication();
    const story = storyOn(engine, {
      args: ['--app.security.clients.frames.public=true', `--app.security.clients.frames.redirect-uris=${REGISTERED}`],
    });
    let browser: Browser;
    let user: PortalBrowser;

    const authorizeUrl = (changes: Readonly<Record<string, string>> = {}): string => {
      const party = new RelyingParty({ id: 'frames', redirectUri: `${application.url}/callback` }, story.service.url);
      return user.urlOf(party.authorizePath(party.attempt(), changes));
    };

    beforeAll(async () => {
      await application.start();
      browser = await launchChromium();
    });

    beforeAll(async () => {
      const [look] = LOOKS;
      if (!look) throw new Error('no look');
      user = await PortalBrowser.open(browser, story.service.url, look);
      const { id, password } = story.person();
      await user.visit('/portal/login');
      await user.signIn(id, password);
    });

    afterAll(async () => {
      await user.close();
      await browser.close();
      await application.stop();
    });

    it('J9: the response reaches the application without a Referer, which could carry the request', async () => {
      await user.page.goto(authorizeUrl({ prompt: 'login' }));
      const { id, password } = story.person();
      await user.signIn(id, password);
      await user.page.waitForURL(/callback/);
      expect(application.last.parameters.has('code')).toBe(true);
      expect(application.last.referer).toBeUndefined();
    });

    it('J9: a frame of another site gets no code by the session of the user', async () => {
      const before = application.callbacks.length;
      const framed = encodeURIComponent(authorizeUrl({ prompt: 'none' }));
      await user.page.goto(`${application.url}/frame?frame=${framed}`);
      await waitUntil('the frame leads to the application', () => application.callbacks.length > before);
      expect(application.last.parameters.get('error')).toBe('login_required');
      expect(application.last.parameters.has('code')).toBe(false);
    });

    it('H9: a frame shows no page of a sign-in', async () => {
      const refused = user.page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
      const framed = encodeURIComponent(authorizeUrl());
      await user.page.goto(`${application.url}/frame?frame=${framed}`);
      await refused;
      expect(user.page.frames().filter((frame) => frame.url().includes('/portal/'))).toEqual([]);
    });
  });
});
