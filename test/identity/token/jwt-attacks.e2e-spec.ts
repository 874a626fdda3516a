import { createHmac, createPrivateKey, createPublicKey, type JsonWebKey, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Sealer } from '../../../src/platform/sealing/sealer.js';
import type { Answer } from '../../support/http/http-client.js';
import { refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

type Header = Readonly<Record<string, unknown>>;

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A compact JWS with the signature that `sign` returns. */
function token(header: Header, payload: JWTPayload, sign: (input: string) => string): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${sign(input)}`;
}

function hmac(key: string | Buffer, hash = 'sha256'): (input: string) => string {
  return (input) => createHmac(hash, key).update(input).digest('base64url');
}

const COMMON_KEYS = [
  ...['secret', 'password', 'changeme', 'key', 'jwt', 'test', 'dev', 'admin', 'default', 'mfa', 'token', 'login'],
  ...['login-service', 'your-256-bit-secret', 'your_jwt_secret', 'my-secret-key', 'supersecret', 'shhhhh', '123456'],
  ...['qwerty', 'secretkey', 'jwtsecret', 'AllYourBase', 'iloveyou', 'letmein', 'hmac', 'none', 'null', 'undefined'],
  ...['', '0'.repeat(32), 'a'.repeat(32), '\u0000'.repeat(32), 'gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr9C'],
];

/** Maximum number of characters of an mfa_token; the schema rejects a longer one. */
const LONGEST_TOKEN = 4096;

/** The key of the service that seals its signing keys in the database. */
const SEAL_KEY = randomBytes(32);

onAnyEngine('forged tokens', (engine) => {
  const story = storyOn(engine, {
    people: 30,
    args: [`--app.security.seal.keys.main=${SEAL_KEY.toString('base64')}`],
  });
  const asked: string[] = [];
  let listener: Server;
  let listenerUrl = '';

  beforeAll(async () => {
    listener = createServer((request, response) => {
      asked.push(String(request.url));
      response.end('{"keys":[]}');
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    listenerUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    listener.close();
  });

  function verify(bearer: string): Promise<Answer> {
    return story.client().post('/2fa/verify', { code: '000000' }, { bearer });
  }

  /** Expects the resource API and the second step to reject the token itself, before any code is checked. */
  async function expectRefused(attack: string, title: string): Promise<void> {
    const client = story.client();
    expect(await client.get('/me', { bearer: attack }), title).toBeRefused(401, 'INVALID_TOKEN');
    const byStep = await secondStep(client, attack, '000000');
    if (attack.length > LONGEST_TOKEN) expect(byStep, title).toBeRefused(400, 'VALIDATION_FAILED');
    else expect(byStep, title).toBeRefused(401, 'MFA_TOKEN_INVALID');
    const byBearer = await verify(attack);
    expect(byBearer, `${title} at /2fa/verify: ${byBearer.text}`).toBeAnswered(401);
    expect(['INVALID_TOKEN', 'MFA_TOKEN_INVALID'], `${title} at /2fa/verify`).toContain(byBearer.body['code']);
  }

  /** A genuine access token and a genuine mfa_token, to be altered. */
  async function originals(): Promise<readonly string[]> {
    const person = await story.enrolled();
    return [(await story.signIn(person)).accessToken, await story.mfaToken(person)];
  }

  /** A token with the claims of the original and another header, which the service's own key signs. */
  async function signedByService(original: string, header: Header): Promise<string> {
    const { kid = '' } = decodeProtectedHeader(original);
    const [row] = await story.database.query<{ readonly purpose: string; readonly sealed: string }>(
      'SELECT purpose, sealed FROM signing_key WHERE id = ?',
      [kid],
    );
    if (!row) throw new Error(`no key ${kid}`);
    const sealer = new Sealer('main', new Map([['main', SEAL_KEY]]), new SystemRandom());
    const key = sealer.open(row.sealed, `signing-key:${row.purpose}:${kid}`);
    if (row.purpose === 'mfa') return token(header, decodeJwt(original), hmac(key));
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    return token(header, decodeJwt(original), (input) =>
      sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
    );
  }

  async function publishedKey(): Promise<JsonWebKey> {
    const { body } = await story.client().get('/.well-known/jwks.json');
    const [key] = body['keys'] as readonly JsonWebKey[];
    if (!key) throw new Error('no key is published');
    return key;
  }

  it('genuine tokens are accepted, and only their wrong code is rejected', async () => {
    const [access = '', mfaToken = ''] = await originals();

    expect(await story.client().get('/me', { bearer: access })).toBeAnswered(200);
    expect(await verify(access)).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await secondStep(story.client(), mfaToken, '000000')).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await verify(mfaToken)).toBeRefused(401, 'MFA_CODE_INVALID');
  });

  describe('J1: signature verification', () => {
    it('J1: a token with a changed payload or a changed signature is rejected', async () => {
      const other = await story.subjectOf(await story.enrolled());
      for (const original of await originals()) {
        const [header = '', payload = '', signature = ''] = original.split('.');
        const claims = decodeJwt(original);
        const attacks: Readonly<Record<string, string>> = {
          'another subject': `${header}.${encoded({ ...claims, sub: other })}.${signature}`,
          'another audience': `${header}.${encoded({ ...claims, aud: claims.aud === 'mfa' ? 'resource-api' : 'mfa' })}.${signature}`,
          'more roles': `${header}.${encoded({ ...claims, roles: ['ROLE_ADMIN'] })}.${signature}`,
          'a longer life': `${header}.${encoded({ ...claims, exp: 99_999_999_999 })}.${signature}`,
          'no signature': `${header}.${payload}.`,
          'no third part': `${header}.${payload}`,
          'a fourth part': `${original}.${signature}`,
          'a cut signature': original.slice(0, -4),
          'a signature of noughts': `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
          'a signature of ones': `${header}.${payload}.${Buffer.alloc(64, 1).toString('base64url')}`,
          'a bent signature': `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
          padding: `${original}==`,
          'blanks inside': `${header}. ${payload}.${signature}`,
        };
        for (const [title, attack] of Object.entries(attacks)) await expectRefused(attack, title);
      }
      expect(asked).toEqual([]);
    });

    it('J1: alg none is rejected in every spelling', async () => {
      for (const original of await originals()) {
        const claims = decodeJwt(original);
        const { typ, kid } = decodeProtectedHeader(original);
        for (const alg of ['none', 'None', 'NONE', 'nOnE', 'none ', '', null, [], ['none'], 0]) {
          const header = { typ, kid, alg };
          await expectRefused(
            token(header, claims, () => ''),
            `alg ${JSON.stringify(alg)}`,
          );
          await expectRefused(
            token(header, claims, () => 'AA'),
            `alg ${JSON.stringify(alg)} with a signature`,
          );
        }
        await expectRefused(
          token({ typ, kid }, claims, () => ''),
          'no alg at all',
        );
      }
      expect(asked).toEqual([]);
    });

    it('J1: the JSON serializations of a JWS are rejected', async () => {
      for (const original of await originals()) {
        const [header = '', payload = '', signature = ''] = original.split('.');
        const flattened = JSON.stringify({ protected: header, payload, signature });
        const general = JSON.stringify({ payload, signatures: [{ protected: header, signature }] });
        for (const json of [flattened, general]) {
          const byBody = await story.client().post('/login/2fa', { mfa_token: json, code: '000000' });
          expect(byBody).toBeRefused(401, 'MFA_TOKEN_INVALID');
          const asObject = await story
            .client()
            .post('/login/2fa', { mfa_token: JSON.parse(json) as object, code: '000000' });
          expect(asObject).toBeRefused(400, 'VALIDATION_FAILED');
          const byHeader = await story.client().get('/me', { headers: { authorization: `Bearer ${json}` } });
          expect(byHeader).toBeRefused(401, 'INVALID_TOKEN');
        }
      }
    });

    it('J1: a token that the key of the service signed is rejected for a critical header parameter', async () => {
      const [access = '', mfaToken = ''] = await originals();
      const resigned = await signedByService(access, decodeProtectedHeader(access));
      expect(await story.client().get('/me', { bearer: resigned })).toBeAnswered(200);
      for (const original of [access, mfaToken]) {
        const header = decodeProtectedHeader(original);
        for (const critical of [
          { crit: ['b64'], b64: true },
          { crit: ['exp'], exp: 99_999_999_999 },
          { crit: ['http://example.com/unknown'], 'http://example.com/unknown': true },
          { crit: [] },
        ]) {
          await expectRefused(await signedByService(original, { ...header, ...critical }), JSON.stringify(critical));
        }
      }
      expect(asked).toEqual([]);
    });
  });

  it('J2: an HMAC with the published key in any form is rejected', async () => {
    const key = await publishedKey();
    const object = createPublicKey({ key, format: 'jwk' });
    const forms = [
      object.export({ type: 'spki', format: 'pem' }),
      object.export({ type: 'spki', format: 'pem' }).toString().trim(),
      object.export({ type: 'spki', format: 'der' }),
      JSON.stringify(key),
      JSON.stringify({ keys: [key] }),
      String(key.x),
      Buffer.from(String(key.x), 'base64url'),
      Buffer.concat([Buffer.from(String(key.x), 'base64url'), Buffer.from(String(key.y), 'base64url')]),
    ];
    for (const original of await originals()) {
      const claims = decodeJwt(original);
      const header = decodeProtectedHeader(original);
      for (const form of forms) {
        for (const kid of [header.kid, key['kid']]) {
          for (const [alg, hash] of [
            ['HS256', 'sha256'],
            ['HS384', 'sha384'],
            ['HS512', 'sha512'],
          ] as const) {
            const attack = token({ ...header, kid, alg }, claims, hmac(form, hash));
            await expectRefused(attack, `${alg} with the published key`);
          }
        }
      }
    }
    expect(asked).toEqual([]);
  });

  it('J3: keys that a token names or contains are neither used nor fetched', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    for (const original of await originals()) {
      const claims = decodeJwt(original);
      const { typ, kid } = decodeProtectedHeader(original);
      const headers: readonly Header[] = [
        { jwk, kid },
        { jwk },
        { jku: `${listenerUrl}/jwks.json`, kid },
        { jku: `${listenerUrl}/jwks.json`, kid: 'mine' },
        { x5u: `${listenerUrl}/cert.pem`, kid },
        { x5c: ['MIIB'], kid },
        { kid: '../../../../dev/null' },
        { kid: '/dev/null' },
        { kid: `${listenerUrl}/key` },
        { kid: "x' UNION SELECT 'secret'; --" },
        { kid: '__proto__' },
        { kid: 'constructor' },
        { kid: 'toString' },
        { kid: '' },
        { kid: 0 },
        { kid: { toString: 'x' } },
        { kid: 'x'.repeat(5_000) },
        {},
      ];
      for (const header of headers) {
        const attack = await new SignJWT(claims)
          .setProtectedHeader({ typ: String(typ), ...header, alg: 'ES256' })
          .sign(privateKey);
        await expectRefused(attack, JSON.stringify(header).slice(0, 60));
        const symmetric = token({ typ, ...header, alg: 'HS256' }, claims, hmac(''));
        await expectRefused(symmetric, `HS256 ${JSON.stringify(header).slice(0, 60)}`);
      }
    }
    expect(asked).toEqual([]);
  });

  it('J4: no token is signed with a common secret, and an HMAC with one is rejected', async () => {
    for (const original of await originals()) {
      const [header = '', payload = '', signature] = original.split('.');
      for (const key of COMMON_KEYS) {
        for (const hash of ['sha256', 'sha384', 'sha512']) {
          expect(hmac(key, hash)(`${header}.${payload}`)).not.toBe(signature);
        }
      }
      for (const key of COMMON_KEYS.slice(0, 5)) {
        const attack = token({ ...decodeProtectedHeader(original), alg: 'HS256' }, decodeJwt(original), hmac(key));
        await expectRefused(attack, `HS256 with ${key}`);
      }
    }
    expect(asked).toEqual([]);
  });

  describe('J5: token types', () => {
    it('J5: the resource API rejects an mfa_token, and the second step an access token', async () => {
      const person = await story.enrolled();
      const { accessToken } = await story.signIn(person);
      const mfaToken = await story.mfaToken(person);
      const code = story.nextCode(person);

      expect(await story.client().get('/me', { bearer: mfaToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await secondStep(story.client(), accessToken, code)).toBeRefused(401, 'MFA_TOKEN_INVALID');
      const stolen = story.client();
      stolen.plant('SESSION', mfaToken);
      expect(await stolen.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      // The rejected requests did not use up the code.
      expect(await secondStep(story.client(), mfaToken, code)).toBeAnswered(200);
    });

    it('J5: a refresh token is rejected as an access token and as an mfa_token', async () => {
      const person = await story.enrolled();
      const { client } = await story.signIn(person);
      const value = client.cookie('refresh_token') ?? '';

      expect(await story.client().get('/me', { bearer: value })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await secondStep(story.client(), value, story.nextCode(person))).toBeRefused(401, 'MFA_TOKEN_INVALID');
      expect(await refresh(client)).toBeAnswered(200);
    });

    it('J5: a token that the key of the service signed is rejected if its typ is missing or of another kind', async () => {
      const [access = '', mfaToken = ''] = await originals();
      const resigned = await signedByService(mfaToken, decodeProtectedHeader(mfaToken));
      expect(await secondStep(story.client(), resigned, '000000')).toBeRefused(401, 'MFA_CODE_INVALID');
      for (const original of [access, mfaToken]) {
        const { alg, kid } = decodeProtectedHeader(original);
        // Access tokens of both configurable types are valid.
        const own: readonly unknown[] = original === access ? ['at+jwt', 'JWT'] : ['mfa+jwt'];
        const types = ['JWT', 'jwt', 'mfa+jwt', 'MFA+JWT', 'application/mfa+jwt', 'at+jwt', 'AT+JWT', 'at+jwt ', '', 1];
        for (const typ of types.filter((one) => !own.includes(one))) {
          await expectRefused(await signedByService(original, { alg, kid, typ }), `typ ${JSON.stringify(typ)}`);
        }
        await expectRefused(await signedByService(original, { alg, kid }), 'no typ');
      }
      expect(asked).toEqual([]);
    });
  });

  it('J9: an access token in the query, a cookie, another header or another scheme is rejected', async () => {
    const { client, accessToken } = await story.signInByPassword(story.person());
    const anonymous = story.client();

    const answers = [
      await anonymous.get(`/me?access_token=${accessToken}`),
      await anonymous.get(`/me?token=${accessToken}&authorization=Bearer%20${accessToken}`),
      await anonymous.get('/me', { headers: { 'x-access-token': accessToken, 'x-authorization': accessToken } }),
      await anonymous.get('/me', { headers: { authorization: accessToken } }),
      await anonymous.get('/me', { headers: { authorization: `Token ${accessToken}` } }),
      await anonymous.get('/me', { headers: { authorization: `Bearer ${accessToken} ${accessToken}` } }),
      await anonymous.get('/me', { headers: { cookie: `access_token=${accessToken}` } }),
    ];

    for (const answer of answers) expect(answer).toBeRefused(401, 'INVALID_TOKEN');
    expect(await client.get('/me', { bearer: accessToken })).toBeAnswered(200);
    const anyCase = await client.get('/me', { headers: { authorization: `bearer ${accessToken}` } });
    expect(anyCase).toBeAnswered(200);
  });
});
