import { expect, it } from 'vitest';
import { HttpClient } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const ISSUER = 'https://login.example.org/auth';

onSqlite('the metadata of the provider', (engine) => {
  const story = storyOn(engine, {
    args: [
      '--server.servlet.context-path=/auth',
      `--app.security.public-url=${ISSUER}`,
      '--app.security.clients.shop.secret=a-secret-of-the-shop-0123456789',
      '--app.security.clients.shop.redirect-uris=https://shop.example/cb',
    ],
  });

  it('RFC 8414 and OpenID Connect Discovery state the same endpoints and grants', async () => {
    const discovery = await story.client().get('/.well-known/openid-configuration');
    const metadata = await story.client().get('/.well-known/oauth-authorization-server');

    expect(metadata).toBeAnswered(200);
    expect(metadata.body).toMatchObject({
      ...{ issuer: ISSUER, token_endpoint: `${ISSUER}/token`, revocation_endpoint: `${ISSUER}/revoke` },
      ...{ grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'] },
    });
    expect(metadata.body).toEqual(discovery.body);
  });

  it.each(['openid-configuration', 'oauth-authorization-server'])(
    'the metadata %s of an issuer with a path are also where RFC 8414 section 3.1 places them',
    async (name) => {
      const host = new HttpClient(new URL(story.service.url).origin);

      const outside = await host.get(`/.well-known/${name}/auth`);

      expect(outside).toBeAnswered(200);
      expect(outside.body).toEqual((await story.client().get(`/.well-known/${name}`)).body);
      expect(await host.get(`/.well-known/${name}`)).toBeAnswered(404);
    },
  );
});
