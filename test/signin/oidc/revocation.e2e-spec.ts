import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { RelyingParty } from '../../support/oidc/relying-party.js';

type Form = Readonly<Record<string, string>>;

const ISSUER = 'http://localhost:8080';
const SHOP = { id: 'shop', secret: 'a-secret-of-the-shop-0123456789', redirectUri: 'https://shop.example/cb' };
const PAGE = { id: 'page', redirectUri: 'https://page.example/cb' };
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' });

onAnyEngine('the revocation endpoint', (engine) => {
  const story = storyOn(engine, {
    people: 20,
    args: [
      `--app.security.public-url=${ISSUER}`,
      `--app.security.clients.shop.secret=${SHOP.secret}`,
      `--app.security.clients.shop.redirect-uris=${SHOP.redirectUri}`,
      `--app.security.clients.shop.keys=${String(KEY.publicKey.export({ format: 'pem', type: 'spki' }))}`,
      '--app.security.clients.page.public=true',
      `--app.security.clients.page.redirect-uris=${PAGE.redirectUri}`,
    ],
  });
  const basic = { authorization: `Basic ${Buffer.from(`${SHOP.id}:${SHOP.secret}`).toString('base64')}` };
  const send = (form: Form, headers: Form = {}): Promise<Answer> =>
    story.client().send('POST', '/revoke', { form, headers });
  const partyOf = (client: RelyingParty['client']): RelyingParty => new RelyingParty(client, story.service.url);
  const signIn = async (client: RelyingParty['client']): Promise<{ browser: HttpClient; tokens: Answer }> => {
    const person = story.person();
    const browser = story.client();
    await browser.post('/session', { id: person.id, pw: person.password });
    return { browser, tokens: await partyOf(client).signIn(browser) };
  };
  const isLive = async (tokens: Answer): Promise<boolean> =>
    (await story.client().get('/userinfo', { bearer: textOf(tokens, 'access_token') })).status === 200;

  it.each(['access_token', 'refresh_token'])(
    'S6: the %s of an application ends its session, and no other',
    async (kind) => {
      const { browser, tokens } = await signIn(SHOP);
      const other = await partyOf(PAGE).signIn(browser);

      const revoked = await send({ token: textOf(tokens, kind), token_type_hint: 'refresh_token' }, basic);

      expect(revoked).toBeAnswered(200);
      expect(await isLive(tokens)).toBe(false);
      expect((await partyOf(SHOP).refresh(textOf(tokens, 'refresh_token'))).body).toMatchObject({
        error: 'invalid_grant',
      });
      expect(await isLive(other)).toBe(true);
      expect(await browser.get('/session')).toBeAnswered(200);
    },
  );

  it('S6: a token of another application, or of this service, stays valid, and the response does not tell', async () => {
    const { tokens } = await signIn(PAGE);
    const own = await story.signInByPassword(story.person());

    for (const token of [textOf(tokens, 'access_token'), textOf(tokens, 'refresh_token'), own.accessToken]) {
      expect(await send({ token }, basic)).toBeAnswered(200);
    }

    expect(await isLive(tokens)).toBe(true);
    expect(await own.client.get('/me', { bearer: own.accessToken })).toBeAnswered(200);
  });

  it.each(['unknown', 'eyJhbGciOiJub25lIn0.e30.', 'x'.repeat(43)])(
    'the unknown token %s is no error',
    async (token) => {
      expect(await send({ token }, basic)).toBeAnswered(200);
    },
  );

  describe('authenticates clients', () => {
    const assertion = (): Promise<string> =>
      new SignJWT({ iss: 'shop', sub: 'shop', aud: `${ISSUER}/revoke`, jti: randomUUID() })
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime(story.clock.seconds + 60)
        .sign(KEY.privateKey);
    const METHODS: readonly (readonly [string, () => Promise<readonly [Form, Form]>])[] = [
      ['client_secret_basic', () => Promise.resolve([{}, basic])],
      ['client_secret_post', () => Promise.resolve([{ client_id: SHOP.id, client_secret: SHOP.secret }, {}])],
      [
        'private_key_jwt',
        async () => [
          {
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: await assertion(),
          },
          {},
        ],
      ],
    ];

    it.each(METHODS)('by %s', async (_, credentials) => {
      const { tokens } = await signIn(SHOP);
      const [form, headers] = await credentials();

      expect(await send({ token: textOf(tokens, 'access_token'), ...form }, headers)).toBeAnswered(200);
      expect(await isLive(tokens)).toBe(false);
    });

    it('by the id alone if they are public', async () => {
      const { tokens } = await signIn(PAGE);

      expect(await send({ token: textOf(tokens, 'refresh_token'), client_id: PAGE.id })).toBeAnswered(200);
      expect(await isLive(tokens)).toBe(false);
    });

    it.each<[string, Form]>([
      ['without credentials', {}],
      ['with the id of a confidential client alone', { client_id: SHOP.id }],
      ['with a wrong secret', { client_id: SHOP.id, client_secret: 'wrong' }],
    ])('and rejects a request %s', async (_, form) => {
      const { tokens } = await signIn(SHOP);

      const rejected = await send({ token: textOf(tokens, 'access_token'), ...form });

      expect(rejected).toBeAnswered(401);
      expect(rejected.body).toMatchObject({ error: 'invalid_client' });
      expect(await isLive(tokens)).toBe(true);
    });
  });

  it('a request without a token is invalid', async () => {
    const answer = await send({}, basic);

    expect(answer).toBeAnswered(400);
    expect(answer.body).toMatchObject({ error: 'invalid_request' });
  });
});
