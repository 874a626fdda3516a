import { decodeJwt } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { LogoutReceiver } from '../../support/oidc/logout-receiver.js';
import { HTML, RelyingParty } from '../../support/oidc/relying-party.js';
import { submit, unescaped, visit } from '../../support/pages/pages.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { readLogoutRequest } from '../../support/saml/saml-messages.js';
import type { ResponseOptions } from '../../support/saml/saml-response.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';

const SHOP = { id: 'shop', secret: 'a-secret-of-the-shop-0123456789', redirectUri: 'https://shop.example/cb' };
const CREW = { id: 'crew', secret: 'a-secret-of-the-crew-0123456789', redirectUri: 'https://crew.example/cb' };
const BYE = 'https://shop.example/bye';
const MFA = 'urn:login:acr:mfa';
const own = makeCertificate({ key: 'rsa' });
const receiver = await new LogoutReceiver().start();
afterAll(() => receiver.stop());

onAnyEngine('staff and applications', (engine) => {
  const staff = staffStoryOn(
    engine,
    {
      corp: {
        bundle: 'sp',
        'authn-context.step-up': MFA_CLASS,
        'roles.attribute': ROLES,
        'roles.map[Crew]': 'ROLE_CREW',
        'roles.map[Cook]': 'ROLE_COOK',
      },
      plain: {},
    },
    {
      people: 0,
      args: [
        `--app.ssl.bundle.pem.sp.keystore.certificate=file:${own.certificate}`,
        `--app.ssl.bundle.pem.sp.keystore.private-key=file:${own.key}`,
        ...[SHOP, CREW].flatMap(({ id, secret, redirectUri }) => [
          `--app.security.clients.${id}.secret=${secret}`,
          `--app.security.clients.${id}.redirect-uris=${redirectUri}`,
        ]),
        `--app.security.clients.shop.post-logout-redirect-uris=${BYE}`,
        `--app.security.clients.crew.backchannel-logout-uri=${receiver.url}`,
        '--app.security.clients.crew.roles=ROLE_CREW',
      ],
    },
  );
  const { story } = staff;
  const partyOf = (client: RelyingParty['client']): RelyingParty => new RelyingParty(client, story.service.url);
  const locationOf = (answer: Answer): string => answer.headers.get('location') ?? '';
  /** Signs in at the identity provider, at which the service has sent the browser; returns where it goes next. */
  const signInBy = async (client: HttpClient, path: string, bent: Partial<ResponseOptions>): Promise<string> => {
    const query = path.slice(path.indexOf('?'));
    return locationOf((await staff.signIn(bent, { client, query })).answer);
  };

  describe('a sign-in that demands more', () => {
    it.each([
      ['acr_values', { acr_values: MFA }],
      ['an essential acr', { claims: JSON.stringify({ id_token: { acr: { essential: true, value: MFA } } }) }],
    ])('J8: by %s continues at the identity provider, and other applications go on', async (_, changes) => {
      const person = { nameId: `ada-${Object.keys(changes).join()}` };
      const { client } = await staff.signIn({ ...person, authnContextClassRef: PASSWORD_CLASS });
      const other = await partyOf(SHOP).signIn(client);
      const attempt = partyOf(SHOP).attempt();

      const asked = locationOf(await client.get(partyOf(SHOP).authorizePath(attempt, changes), HTML));
      expect(asked).toMatch(/^\/saml\/corp\/login\?/);
      const back = await signInBy(client, asked, { ...person, authnContextClassRef: MFA_CLASS });
      const response = partyOf(SHOP).response(await client.get(back, HTML));
      const tokens = await partyOf(SHOP).redeem(response?.get('code') ?? '', attempt);

      expect(decodeJwt(textOf(tokens, 'id_token'))).toMatchObject({ amr: ['pwd', 'otp'], acr: MFA });
      expect(await partyOf(SHOP).refresh(textOf(other, 'refresh_token'))).toBeAnswered(200);
    });

    it('J8: by acr_values ends at once if the identity provider offers no such class', async () => {
      const { client } = await staff.signIn({ nameId: 'ira' }, { idp: 'plain' });
      const attempt = partyOf(SHOP).attempt();

      const response = await partyOf(SHOP).authorize(client, attempt, { acr_values: MFA });
      const tokens = await partyOf(SHOP).redeem(response.get('code') ?? '', attempt);

      expect(decodeJwt(textOf(tokens, 'id_token'))).toMatchObject({ acr: 'urn:login:acr:pwd' });
    });

    it('J8: by an essential acr sets up a second factor here if the identity provider offers no such class', async () => {
      const { client } = await staff.signIn({ nameId: 'joe' }, { idp: 'plain', query: '?prompt=login' });
      const attempt = partyOf(SHOP).attempt();
      const claims = JSON.stringify({ id_token: { acr: { essential: true, value: MFA } } });

      const asked = locationOf(await client.get(partyOf(SHOP).authorizePath(attempt, { claims }), HTML));
      expect(asked).toMatch(/^\/2fa\/portal\/setup\?return_to=%2Fauthorize/);
      const app = AuthenticatorApp.scan(textOf(await client.post('/2fa/setup'), 'otpauth_uri'));
      await client.post('/2fa/confirm', { code: story.codeOf(app) });
      const back = new URL(asked, story.service.url).searchParams.get('return_to') ?? '';
      const response = partyOf(SHOP).response(await client.get(back, HTML));
      const tokens = await partyOf(SHOP).redeem(response?.get('code') ?? '', attempt);

      expect(decodeJwt(textOf(tokens, 'id_token'))).toMatchObject({ amr: ['pwd', 'otp'], acr: MFA });
    });

    it('by max_age continues at the identity provider, which must authenticate the user again', async () => {
      const person = { nameId: 'bea', authnContextClassRef: MFA_CLASS };
      const { client } = await staff.signIn(person);
      const attempt = partyOf(SHOP).attempt();

      const asked = locationOf(await client.get(partyOf(SHOP).authorizePath(attempt, { max_age: '60' }), HTML));
      const { answer, request } = await staff.signIn(person, { client, query: asked.slice(asked.indexOf('?')) });
      const response = partyOf(SHOP).response(await client.get(locationOf(answer), HTML));
      const tokens = await partyOf(SHOP).redeem(response?.get('code') ?? '', attempt);

      expect(request.isForced).toBe(true);
      expect(decodeJwt(textOf(tokens, 'id_token'))).toMatchObject({ auth_time: story.clock.seconds });
    });

    it('by a client with max-age and acr_values at once gets both', async () => {
      const person = { nameId: 'cid' };
      const { client } = await staff.signIn({ ...person, authnContextClassRef: PASSWORD_CLASS });
      const changes = { max_age: '60', acr_values: MFA };
      const attempt = partyOf(SHOP).attempt();

      let next = locationOf(await client.get(partyOf(SHOP).authorizePath(attempt, changes), HTML));
      for (let visits = 0; next.startsWith('/saml/') && visits < 3; visits += 1) {
        const back = await signInBy(client, next, { ...person, authnContextClassRef: MFA_CLASS });
        next = locationOf(await client.get(back, HTML));
      }
      const code = new URL(next).searchParams.get('code') ?? '';
      const tokens = await partyOf(SHOP).redeem(code, attempt);

      expect(decodeJwt(textOf(tokens, 'id_token'))).toMatchObject({ acr: MFA, auth_time: story.clock.seconds });
    });

    it('J8: that the identity provider does not meet continues with a second factor of this service', async () => {
      const person = { nameId: 'dan', authnContextClassRef: PASSWORD_CLASS };
      const { client } = await staff.signIn(person);
      const claims = JSON.stringify({ id_token: { acr: { essential: true, value: MFA } } });

      const asked = locationOf(
        await client.get(partyOf(SHOP).authorizePath(partyOf(SHOP).attempt(), { claims }), HTML),
      );
      const back = await signInBy(client, asked, person);

      expect(back).toMatch(/^\/2fa\/portal\/setup\?return_to=%2Fauthorize/);
    });
  });

  describe('a sign-out that an application requests', () => {
    const signedIn = async (nameId: string): Promise<{ client: HttpClient; hint: string }> => {
      const { client } = await staff.signIn({ nameId });
      return { client, hint: textOf(await partyOf(SHOP).signIn(client), 'id_token') };
    };
    const endSession = (client: HttpClient, parameters: Readonly<Record<string, string>>): Promise<Answer> => {
      const all = { client_id: SHOP.id, post_logout_redirect_uri: BYE, state: 'x', ...parameters };
      return client.get(`/end-session?${new URLSearchParams(all).toString()}`, HTML);
    };
    /** The response of the identity provider to a LogoutRequest; returns where the browser goes next. */
    const respond = async (client: HttpClient, url: string, binding: 'redirect' | 'post'): Promise<string> => {
      const { id: inResponseTo = '', nameId } = readLogoutRequest(url, own.pem);
      expect(nameId).toBeDefined();
      const now = story.clock.millis;
      const slo = `${client.baseUrl}/saml/corp/slo`;
      const sent = staff.idp().logoutResponse({ url: slo, binding, inResponseTo, now });
      const path = sent.url.slice(client.baseUrl.length);
      const headers = { origin: 'https://idp.test', 'sec-fetch-site': 'cross-site' };
      return locationOf(
        await (sent.fields ? client.send('POST', path, { form: sent.fields, headers }) : client.get(path, HTML)),
      );
    };

    it.each(['redirect', 'post'] as const)(
      'ends the session at the identity provider, too, and leads back by %s',
      async (binding) => {
        const { client, hint } = await signedIn(`fay-${binding}`);

        const there = await endSession(client, { id_token_hint: hint });
        expect(locationOf(there)).toMatch(/^https:\/\/idp\.test\/slo\?/);
        const back = await respond(client, locationOf(there), binding);

        expect(locationOf(await client.get(back, HTML))).toBe(`${BYE}?state=x`);
        expect(await client.get('/session')).toBeAnswered(401);
      },
    );

    it('leads back from the identity provider after the question of this service, too', async () => {
      const { client } = await signedIn('gus');

      const asked = await endSession(client, {});
      const page = await visit(client, locationOf(asked));
      const forward = await submit(client, page, {}, {}, 'Sign out');
      const url = unescaped(/href="(https:\/\/idp\.test\/slo\?[^"]+)"/.exec(forward.text)?.[1] ?? '');
      const back = await respond(client, url, 'redirect');

      expect(locationOf(await client.get(back, HTML))).toBe(`${BYE}?state=x`);
    });

    it('X16: leads back to the sign-in page if nothing waits for the response', async () => {
      const { client, hint } = await signedIn('hal');
      const there = await endSession(client, { id_token_hint: hint });
      story.clock.advance(601);

      expect(await respond(client, locationOf(there), 'redirect')).toBe('/portal/login');
    });
  });

  it('S6: a role that the identity provider no longer states ends the applications that demand it', async () => {
    // The relay of events waits by the clock of the service.
    story.clock.run();
    const crew = partyOf(CREW);
    const { client } = await staff.signIn({ nameId: 'eve', attributes: { [ROLES]: ['Crew'] } });
    const tokens = await crew.signIn(client);
    const { sid } = decodeJwt(textOf(tokens, 'id_token'));

    await staff.signIn({ nameId: 'eve', attributes: { [ROLES]: ['Cook'] } });

    expect(await staff.client().get('/userinfo', { bearer: textOf(tokens, 'access_token') })).toBeAnswered(401);
    expect((await crew.refresh(textOf(tokens, 'refresh_token'))).body).toMatchObject({ error: 'invalid_grant' });
    expect(await receiver.received('sid', sid)).toHaveLength(1);
  });
});
