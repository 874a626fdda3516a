import { describe, expect, it } from 'vitest';
import type { Answer } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const PAGE = 'https://page.example';
const NOT_SCRIPTS = ['https://shop.example', 'https://bye.example', 'https://evil.example'];

onSqlite('scripts of applications', (engine) => {
  const story = storyOn(engine, {
    args: [
      '--app.security.clients.page.public=true',
      `--app.security.clients.page.redirect-uris=${PAGE}/cb,com.example.app:/cb`,
      '--app.security.clients.page.post-logout-redirect-uris=https://bye.example/',
      '--app.security.clients.shop.secret=a-secret-of-the-shop-0123456789',
      '--app.security.clients.shop.redirect-uris=https://shop.example/cb',
    ],
  });
  const preflight = (origin: string, method: string, path: string): Promise<Answer> =>
    story.client().send('OPTIONS', path, { headers: { origin, 'access-control-request-method': method } });
  const allowed = ({ headers }: Answer): string | null => headers.get('access-control-allow-origin');

  describe('of a public application', () => {
    it.each([
      ['POST', '/token'],
      ['POST', '/revoke'],
      ['GET', '/userinfo'],
      ['POST', '/userinfo'],
      ['GET', '/.well-known/openid-configuration'],
      ['GET', '/.well-known/oauth-authorization-server'],
      ['GET', '/.well-known/jwks.json'],
    ])('may send %s %s and read the response, without cookies', async (method, path) => {
      const asked = await preflight(PAGE, method, path);
      const sent = await story.client().send(method, path, { headers: { origin: PAGE } });

      expect([allowed(asked), allowed(sent)]).toEqual([PAGE, PAGE]);
      expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
      expect([asked, sent].map(({ headers }) => headers.has('access-control-allow-credentials'))).toEqual([
        false,
        false,
      ]);
    });

    it.each([
      ['GET', '/token'],
      ['POST', '/par'],
      ['GET', '/admin/users'],
      ['POST', '/login'],
      ['GET', '/authorize'],
      ['DELETE', '/session'],
      ['', '/token'],
    ])('H9: may not send %s %s', async (method, path) => {
      expect(allowed(await preflight(PAGE, method, path))).toBeNull();
    });
  });

  it.each(NOT_SCRIPTS)(
    'H9: scripts of %s, where no public application is, may send and read nothing',
    async (origin) => {
      const sent = await story.client().send('POST', '/token', { headers: { origin } });

      expect([allowed(await preflight(origin, 'POST', '/token')), allowed(sent)]).toEqual([null, null]);
    },
  );
});
