import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Amr, PWD, PWD_OTP } from '../../../src/kernel/principal/amr.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { AccessTokens } from '../../../src/identity/token/access-tokens.service.js';
import { Issuer } from '../../../src/identity/token/signed-token.js';
import { keyOfDer, keyOfSecret, newPrivateKey, type UsableKey } from '../../../src/identity/token/keys/key-material.js';
import { MfaTokens } from '../../../src/identity/token/mfa-tokens.service.js';
import type { Session } from '../../../src/identity/session/session.js';
import { type KeyPurpose, SigningKeys } from '../../../src/identity/token/keys/signing-keys.js';
import { TokenProperties } from '../../../src/identity/token/token.properties.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { fc } from '../../support/runner/property.js';

type Claims = Record<string, unknown>;

const ISSUER = 'http://localhost:8080';
const COMMON_SECRETS = [
  ...['', 'secret', 'password', 'changeit', 'changeme', 'jwt', 'jwtsecret', 'jwt-secret', 'your-256-bit-secret', 'key'],
  ...['your_jwt_secret', 'my-secret', 'mysecret', 'supersecret', 'shhhhh', 'test', 'dev', 'default', 'admin', '123456'],
  ...['0', 'null', 'undefined', 'token', 'private', 'signing-key', 'hmac', 'login', 'login-service', 'GuessMe'],
];

describe('token verification', () => {
  const clock = new ManualClock();
  const random = new SystemRandom();
  const secret = random.bytes(32);
  const mfaKey = keyOfSecret('mfa-key', secret);
  const issuer = new Issuer(ISSUER);
  let accessKey: UsableKey;
  let accessTokens: AccessTokens;
  let mfaTokens: MfaTokens;
  let access: string;
  let mfaToken: string;

  beforeAll(async () => {
    accessKey = keyOfDer(await newPrivateKey('ES256'));
    const keys = keyRing({ access: accessKey, mfa: mfaKey });
    accessTokens = new AccessTokens(keys, issuer, clock, random, new TokenProperties());
    mfaTokens = new MfaTokens(keys, issuer, clock, random);
    ({ accessToken: access } = await accessTokens.issue(session(clock.seconds()), ['ROLE_A']));
    ({ token: mfaToken } = await mfaTokens.issue({ subject: 'anna', securityStamp: 4 }));
  });

  const tokensOf = (changes: Partial<TokenProperties>): AccessTokens => {
    const keys = keyRing({ access: accessKey, mfa: mfaKey });
    return new AccessTokens(keys, issuer, clock, random, Object.assign(new TokenProperties(), changes));
  };
  /** The tokens that any verifier accepts. */
  const accepted = async (tokens: readonly string[]): Promise<readonly string[]> => {
    const taken: string[] = [];
    for (const token of tokens) {
      if ((await accessTokens.verify(token)) ?? (await mfaTokens.verify(token))) taken.push(token);
    }
    return taken;
  };
  /** A token signed with the keys of the service, with claims that the service never issues. */
  const withClaims = (kind: 'access' | 'mfa', changes: Claims, header: Claims = {}): Promise<string> => {
    const key = kind === 'access' ? accessKey : mfaKey;
    const claims = { ...claimsOf(kind === 'access' ? access : mfaToken), ...changes };
    const fullHeader = {
      alg: key.algorithm,
      kid: key.kid,
      typ: kind === 'access' ? 'at+jwt' : 'mfa+jwt',
      ...header,
    };
    return signed(fullHeader, claims, key);
  };

  it('unaltered tokens verify', async () => {
    expect(await accessTokens.verify(access)).toMatchObject({ subject: 'anna', sid: 'sid-1', roles: ['ROLE_A'] });
    expect(await mfaTokens.verify(mfaToken)).toMatchObject({ subject: 'anna', securityStamp: 4 });
    expect(await mfaTokens.verify(await withClaims('mfa', {}))).toBeDefined();
    expect(await accessTokens.verify(await withClaims('access', {}))).toBeDefined();
  });

  it('access tokens and mfa_tokens have exactly the documented header and claims', () => {
    const now = clock.seconds();
    expect(headerOf(access)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: accessKey.kid });
    expect(claimsOf(access)).toEqual({
      iss: ISSUER,
      sub: 'anna',
      aud: 'resource-api',
      client_id: 'portal',
      iat: now,
      nbf: now,
      exp: now + 600,
      jti: expect.stringMatching(/^[\w-]{22}$/) as string,
      sid: 'sid-1',
      roles: ['ROLE_A'],
      amr: ['pwd', 'otp'],
      acr: 'urn:login:acr:mfa',
      auth_time: now - 9,
      mfa_at: now,
      mfa_method: 'totp',
    });
    expect(headerOf(mfaToken)).toEqual({ alg: 'HS256', typ: 'mfa+jwt', kid: 'mfa-key' });
    expect(claimsOf(mfaToken)).toEqual({
      iss: ISSUER,
      sub: 'anna',
      aud: 'mfa',
      iat: now,
      exp: now + 180,
      jti: expect.stringMatching(/^[\w-]{22}$/) as string,
      amr: ['pwd'],
      epoch: 4,
    });
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', 'HS256 ', 'ES256K'])(
    'J1: a token with the algorithm %j is rejected',
    async (alg) => {
      const forged = [access, mfaToken].flatMap((token) => {
        const [, payload = '', signature = ''] = token.split('.');
        const header = encoded({ ...headerOf(token), alg });
        return ['', signature, 'AA'].map((end) => `${header}.${payload}.${end}`);
      });

      expect(await accepted(forged)).toEqual([]);
    },
  );

  it('J1: a token with a changed payload, a changed header or no signature is rejected', async () => {
    const forged = [access, mfaToken].flatMap((token) => {
      const [header = '', payload = '', signature = ''] = token.split('.');
      const changed = encoded({ ...claimsOf(token), sub: 'boss', roles: ['ROLE_ADMIN'] });
      return [
        `${header}.${changed}.${signature}`,
        `${encoded({ ...headerOf(token), kid: 'mfa-key' })}.${payload}.${signature.slice(0, -4)}AAAA`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${header}..${signature}`,
        `.${payload}.${signature}`,
        `${header}.${payload}.${signature}.`,
        `${header}.${payload}.${signature}.${signature}.${signature}`,
        ` ${token}`,
        `${token}\n`,
        `${token}=`,
        token.toUpperCase(),
      ];
    });

    expect(await accepted(forged)).toEqual([]);
  });

  it('J1: the JSON serializations of a token are rejected', async () => {
    const forged = [access, mfaToken].flatMap((token) => {
      const [header = '', payload = '', signature = ''] = token.split('.');
      const signatures = [{ protected: header, signature }];
      return [JSON.stringify({ protected: header, payload, signature }), JSON.stringify({ payload, signatures })];
    });

    expect(await accepted(forged)).toEqual([]);
  });

  it('J2: an HMAC with the published key in any form is rejected', async () => {
    const publicKey = exported(accessKey);
    const jwk = JSON.stringify(accessKey.jwk);
    const forms = [
      publicKey.export({ format: 'pem', type: 'spki' }) as string,
      (publicKey.export({ format: 'pem', type: 'spki' }) as string).trim(),
      publicKey.export({ format: 'der', type: 'spki' }),
      jwk,
      JSON.stringify({ keys: [accessKey.jwk] }),
      accessKey.jwk?.['x'] ?? '',
      Buffer.from(accessKey.jwk?.['x'] ?? '', 'base64url'),
    ];
    const forged = forms.flatMap((form) =>
      [accessKey.kid, 'mfa-key'].flatMap((kid) => [
        hmac({ alg: 'HS256', typ: 'mfa+jwt', kid }, { ...claimsOf(mfaToken), aud: 'mfa' }, form),
        hmac({ alg: 'HS256', typ: 'at+jwt', kid }, claimsOf(access), form),
      ]),
    );

    expect(await accepted(forged)).toEqual([]);
  });

  it('J2: a token with another algorithm than that of its key is rejected', async () => {
    const forged = ['HS384', 'HS512', 'ES384', 'RS256', 'PS256', 'EdDSA'].flatMap((alg) =>
      [access, mfaToken].map(
        (token) => `${encoded({ ...headerOf(token), alg })}.${token.split('.').slice(1).join('.')}`,
      ),
    );
    const longer = hmac({ ...headerOf(mfaToken), alg: 'HS512' }, claimsOf(mfaToken), secret, 'sha512');

    expect(await accepted([...forged, longer])).toEqual([]);
  });

  it.each(['jwk', 'jku', 'x5u', 'x5c', 'x5t', 'crit', 'b64', 'zip', 'cty', 'url'])(
    'J3: a token with %s in its header is rejected, even if the key of the service signed it',
    async (member) => {
      const values: Claims = { jwk: accessKey.jwk, crit: ['exp'], b64: true, x5c: ['AA=='], zip: 'DEF' };
      const value = values[member] ?? 'https://attacker.example/keys';
      const mfaHeader = { ...headerOf(mfaToken), [member]: value };
      const accessHeader = { ...headerOf(access), [member]: value };

      const forged = [
        hmac(mfaHeader, claimsOf(mfaToken), secret),
        await signed(accessHeader, claimsOf(access), accessKey),
      ];

      expect(await accepted(forged)).toEqual([]);
    },
  );

  it.each([
    ['a path', '../../../../dev/null'],
    ['a statement', "x' UNION SELECT 'secret"],
    ['a prototype name', '__proto__'],
    ['another prototype name', 'constructor'],
    ['an empty text', ''],
    ['a zero byte', 'mfa-key\u0000'],
    ['a number', 1],
    ['a list', ['mfa-key']],
    ['an object', { toString: 'mfa-key' }],
    ['a very long text', 'k'.repeat(5000)],
  ])('J3: a token with %s as its key id is rejected', async (_, kid) => {
    const forged = [secret, ''].flatMap((key) => [
      hmac({ alg: 'HS256', typ: 'mfa+jwt', kid }, claimsOf(mfaToken), key),
      hmac({ alg: 'HS256', typ: 'at+jwt', kid }, claimsOf(access), key),
    ]);

    expect(await accepted(forged)).toEqual([]);
  });

  it('J3: a token without a key id is rejected', async () => {
    expect(await accepted([hmac({ alg: 'HS256', typ: 'mfa+jwt' }, claimsOf(mfaToken), secret)])).toEqual([]);
  });

  it('A10: access tokens of type at+jwt and JWT are accepted, whichever the service issues', async () => {
    const plain = tokensOf({ type: 'JWT' });
    const { accessToken: ofPlain } = await plain.issue(session(clock.seconds()), []);

    expect(headerOf(ofPlain)).toEqual({ alg: 'ES256', typ: 'JWT', kid: accessKey.kid });
    expect(await accessTokens.verify(ofPlain)).toMatchObject({ subject: 'anna' });
    expect(await plain.verify(access)).toMatchObject({ subject: 'anna' });
  });

  it('A10: an mfa_token of type JWT is rejected for every audience (RFC 8725, section 3.11)', async () => {
    const plain = tokensOf({ type: 'JWT' });
    const bent = [
      mfaToken,
      await withClaims('mfa', {}, { typ: 'JWT' }),
      await withClaims('mfa', claimsOf(access), { typ: 'JWT' }),
      await withClaims('mfa', { aud: 'resource-api' }, { typ: 'JWT' }),
      await withClaims('access', { aud: 'mfa' }, { typ: 'JWT' }),
      await withClaims('access', { ...claimsOf(mfaToken), aud: 'mfa' }, { typ: 'JWT' }),
      await withClaims('access', { ...claimsOf(mfaToken), aud: 'mfa' }, { typ: 'mfa+jwt' }),
      await withClaims('access', {}, { typ: 'jwt' }),
      await withClaims('access', {}, { typ: 'application/at+jwt' }),
    ];

    for (const token of bent) expect(await plain.verify(token)).toBeUndefined();
    expect(await accepted(bent)).toEqual([mfaToken]);
  });

  it('A10: an access token without client_id is accepted', async () => {
    const earlier = await withClaims('access', { client_id: undefined });

    expect(await accessTokens.verify(earlier)).toMatchObject({ subject: 'anna' });
    expect(await accessTokens.verify(earlier)).not.toHaveProperty('clientId');
  });

  it('A10: client_id is the configured one, and tokens with an earlier one are accepted', async () => {
    const renamed = tokensOf({ clientId: 'intranet' });
    const { accessToken } = await renamed.issue(session(clock.seconds()), []);

    expect(claimsOf(accessToken)['client_id']).toBe('intranet');
    expect(await renamed.verify(access)).toMatchObject({ clientId: 'portal' });
  });

  it('J4: an mfa_token is not signed with a common secret', () => {
    const [header, payload, signature] = mfaToken.split('.');
    const guessed = COMMON_SECRETS.filter(
      (guess) => createHmac('sha256', guess).update(`${header}.${payload}`).digest('base64url') === signature,
    );

    expect(COMMON_SECRETS).toHaveLength(30);
    expect(guessed).toEqual([]);
  });

  it('J5: an mfa_token is rejected as an access token and the reverse, for every typ', async () => {
    expect(await accessTokens.verify(mfaToken)).toBeUndefined();
    expect(await mfaTokens.verify(access)).toBeUndefined();
    const renamed = [
      await withClaims('access', {}, { typ: 'mfa+jwt' }),
      ...(await Promise.all(
        ['at+jwt', 'JWT', 'application/mfa+jwt', 'MFA+JWT'].map((typ) => withClaims('mfa', {}, { typ })),
      )),
      hmac({ alg: 'HS256', kid: 'mfa-key' }, claimsOf(mfaToken), secret),
    ];
    expect(await accepted(renamed)).toEqual([]);
  });

  it.each([
    ['another audience', { aud: 'resource-api' }],
    ['two audiences', { aud: ['mfa', 'resource-api'] }],
    ['a list as audience', { aud: ['mfa'] }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://attacker.example' }],
    ['no issuer', { iss: undefined }],
    ['no subject', { sub: undefined }],
    ['a number as subject', { sub: 7 }],
    ['no id', { jti: undefined }],
    ['a list as id', { jti: ['x'] }],
    ['no exp', { exp: undefined }],
    ['exp as text', { exp: '9999999999' }],
    ['no iat', { iat: undefined }],
    ['no epoch', { epoch: undefined }],
    ['an epoch as text', { epoch: '4' }],
    ['a fractional epoch', { epoch: 4.5 }],
    ['a complete login', { amr: ['pwd', 'otp'] }],
    ['no methods', { amr: [] }],
    ['methods as text', { amr: 'pwd' }],
  ])('J5: an mfa_token with %s is rejected', async (_, changes) => {
    expect(await mfaTokens.verify(await withClaims('mfa', changes))).toBeUndefined();
  });

  it.each([
    ['the audience of mfa_tokens', { aud: 'mfa' }],
    ['no audience', { aud: undefined }],
    ['a list as audience', { aud: ['resource-api'] }],
    ['another issuer', { iss: `${ISSUER}/` }],
    ['no session', { sid: undefined }],
    ['no roles', { roles: undefined }],
    ['roles as text', { roles: 'ROLE_ADMIN' }],
    ['an unknown method', { amr: ['pwd', 'face'] }],
    ['an acr above its amr', { amr: ['pwd'] }],
    ['an acr below the passkey in its amr', { amr: ['pwd', 'hwk'], acr: 'urn:login:acr:pwd' }],
    ['another acr', { acr: 'urn:login:acr:gold' }],
    ['no auth_time', { auth_time: undefined }],
    ['auth_time as text', { auth_time: '1' }],
    ['mfa_at as text', { mfa_at: '1' }],
    ['no nbf', { nbf: undefined }],
    ['a number as session', { sid: 5 }],
    ['a number as client', { client_id: 5 }],
  ])('J5: an access token with %s is rejected', async (_, changes) => {
    expect(await accessTokens.verify(await withClaims('access', changes))).toBeUndefined();
  });

  it('J6: an mfa_token expires after 180 seconds', async () => {
    const start = clock.seconds();
    clock.set(start + 179);
    expect(await mfaTokens.verify(mfaToken)).toBeDefined();
    clock.set(start + 180);
    expect(await mfaTokens.verify(mfaToken)).toBeUndefined();
    clock.set(start);
    expect(await mfaTokens.verify(await withClaims('mfa', { exp: start + 181 }))).toBeUndefined();
  });

  it('J6: an access token expires after ten minutes or at the end of its session', async () => {
    const start = clock.seconds();
    clock.set(start + 599);
    expect(await accessTokens.verify(access)).toBeDefined();
    clock.set(start + 600);
    expect(await accessTokens.verify(access)).toBeUndefined();
    clock.set(start);
    const short = await accessTokens.issue({ ...session(start), expiresAt: start + 30 }, []);
    expect(short.expiresIn).toBe(30);
    expect(claimsOf(short.accessToken)['exp']).toBe(start + 30);
  });

  it('J6: token ids have 16 bytes and are unique', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 200 }, () => mfaTokens.issue({ subject: 'anna', securityStamp: 1 })),
    );

    expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(200);
    expect(tokens.every(({ jti }) => Buffer.from(jti, 'base64url').length === 16)).toBe(true);
  });

  it('tokens from more than five seconds in the future are rejected', async () => {
    const start = clock.seconds();
    clock.set(start - 5);
    expect([await mfaTokens.verify(mfaToken), await accessTokens.verify(access)]).not.toContain(undefined);
    clock.set(start - 6);
    expect(await accepted([mfaToken, access])).toEqual([]);
    clock.set(start);
  });

  it('J8: acr follows amr, and a password login has no mfa_at', async () => {
    const { mfaAt, mfaMethod, ...rest } = session(clock.seconds());
    const { accessToken } = await accessTokens.issue({ ...rest, amr: PWD }, []);

    expect(claimsOf(accessToken)).toMatchObject({ amr: ['pwd'], acr: 'urn:login:acr:pwd' });
    expect(claimsOf(accessToken)).not.toHaveProperty('mfa_at');
    expect([mfaAt, mfaMethod]).not.toContain(undefined);
  });

  it.each<[Amr]>([[['pwd', 'hwk']], [['pwd', 'swk']]])(
    'J8: an access token states %j with the acr of a second factor',
    async (amr) => {
      const { accessToken } = await accessTokens.issue({ ...session(clock.seconds()), amr, mfaMethod: 'passkey' }, []);

      expect(claimsOf(accessToken)).toMatchObject({ amr, acr: 'urn:login:acr:mfa', mfa_method: 'passkey' });
      expect(await accessTokens.verify(accessToken)).toMatchObject({ amr, mfaMethod: 'passkey' });
    },
  );

  it('an access token of more than 8,192 characters is rejected', async () => {
    const roles = Array.from({ length: 800 }, (__, index) => `ROLE_${index}`);

    expect(await accessTokens.verify(await withClaims('access', { roles }))).toBeUndefined();
  });

  it('arbitrary text is rejected as a token without an error', async () => {
    const parts = fc.oneof(
      fc.base64String(),
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(parts, { minLength: 1, maxLength: 5 }).map((all) => all.join('.')),
    );

    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await accepted([text])).toEqual([]);
      }),
    );
  });

  it('arbitrary payloads and signatures are rejected with a genuine header', async () => {
    const parts = fc.oneof(
      fc.base64String(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(access, mfaToken), parts, parts, async (token, payload, signature) => {
        expect(await accepted([`${token.split('.')[0]}.${payload}.${signature}`])).toEqual([]);
      }),
    );
  });
});

function keyRing({ access, mfa }: Readonly<Record<'access' | 'mfa', UsableKey>>): SigningKeys {
  const keyOf = (purpose: KeyPurpose): UsableKey => (purpose === 'mfa' ? mfa : access);
  const ring: Pick<SigningKeys, 'current' | 'find'> = {
    current: keyOf,
    find: (purpose, kid) => Promise.resolve(keyOf(purpose).kid === kid ? keyOf(purpose) : undefined),
  };
  return Object.assign(Object.create(SigningKeys.prototype) as SigningKeys, ring);
}

function session(now: number): Session {
  return {
    id: 'sid-1',
    subject: 'anna',
    kind: 'token',
    amr: PWD_OTP,
    authTime: now - 9,
    mfaAt: now,
    mfaMethod: 'totp',
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now + 86_400,
  };
}

function headerOf(token: string): Claims {
  return decoded(token.split('.')[0]);
}

function claimsOf(token: string): Claims {
  return decoded(token.split('.')[1]);
}

function decoded(part = ''): Claims {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function hmac(header: Claims, claims: Claims, key: string | Buffer, hash = 'sha256'): string {
  const input = `${encoded(header)}.${encoded(claims)}`;
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`;
}

/** Signs any header and claims with a key of the service. */
async function signed(header: Claims, claims: Claims, { sign }: UsableKey): Promise<string> {
  const input = Buffer.from(`${encoded(header)}.${encoded(claims)}`);
  const signature = await sign?.(input);
  return `${input.toString()}.${signature?.toString('base64url')}`;
}

function exported({ jwk }: UsableKey): KeyObject {
  return createPublicKey({ key: { ...jwk }, format: 'jwk' });
}
