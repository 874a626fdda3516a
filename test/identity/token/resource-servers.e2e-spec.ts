import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { storyOn } from '../../support/login/login-story.js';
import {
  type Presented,
  springSecurityClassPath,
  springSecurityVerdicts,
  type Trust,
} from '../../support/login/spring-security.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

interface Profile {
  readonly types: readonly string[];
  readonly mandatory: readonly string[];
  readonly demandedBySpring: readonly string[];
}

/** The profile of RFC 9068, and the part of it that Spring Security was observed to demand. */
const PROFILE = JSON.parse(
  readFileSync(new URL('../../support/fixtures/at-jwt-validator.json', import.meta.url), 'utf8'),
) as Profile;
const CLASS_PATH = springSecurityClassPath();

const { privateKey, pem } = newKey();

onSqlite('resource servers (docs/reference/access-tokens.md)', (engine) => {
  const story = storyOn(engine, { args: [`--app.security.token.signing-key=${pem}`] });
  const plain = storyOn(engine, {
    args: ['--app.security.token.type=JWT', '--app.security.token.client-id=intranet'],
  });

  async function trust(): Promise<Trust> {
    const { body } = await story.client().get('/.well-known/oauth-authorization-server');
    const { issuer, jwks_uri: jwksUri } = body as { readonly issuer: string; readonly jwks_uri: string };
    // The port is drawn by the system, so the issuer does not name it.
    return {
      jwksUri: jwksUri.replace(issuer, story.service.url),
      issuer,
      audience: 'resource-api',
      clientId: 'portal',
    };
  }

  /** A token signed with the key of the service; an undefined value removes the claim. */
  function withClaims(token: string, claims: Readonly<Record<string, unknown>>, typ = 'at+jwt'): Promise<string> {
    const header = { ...decodeProtectedHeader(token), alg: 'ES256', typ };
    return new SignJWT({ ...decodeJwt(token), ...claims }).setProtectedHeader(header).sign(privateKey);
  }

  it('A10: an access token has the type and every mandatory claim of RFC 9068', async () => {
    const { accessToken } = await story.signInByPassword(story.person());

    expect(PROFILE.types).toContain(decodeProtectedHeader(accessToken).typ);
    expect(Object.keys(decodeJwt(accessToken))).toEqual(expect.arrayContaining([...PROFILE.mandatory]));
  });

  it('A10: app.security.token.type and client-id set typ and client_id of access tokens', async () => {
    const person = plain.person();
    const { client, accessToken } = await plain.signInByPassword(person);

    expect(decodeProtectedHeader(accessToken).typ).toBe('JWT');
    expect(decodeJwt(accessToken)['client_id']).toBe('intranet');
    expect(await client.get('/me', { bearer: accessToken })).toBeAnswered(200);
    expect(await client.post('/login/2fa', { mfa_token: accessToken, code: '000000' })).toBeRefused(
      401,
      'MFA_TOKEN_INVALID',
    );
  });

  it('A10: access tokens with the other value of app.security.token.type are accepted', async () => {
    const { client, accessToken } = await story.signInByPassword(story.person());
    const asPlain = await withClaims(accessToken, {}, 'JWT');

    expect(await client.get('/me', { bearer: accessToken })).toBeAnswered(200);
    expect(await client.get('/me', { bearer: asPlain })).toBeAnswered(200);
    expect(await client.get('/me', { bearer: await withClaims(accessToken, {}, 'mfa+jwt') })).toBeRefused(
      401,
      'INVALID_TOKEN',
    );
  });

  it('A10: a resource server with jose accepts access tokens, but no mfa_token and no other audience', async () => {
    const { jwksUri, issuer, audience } = await trust();
    const keys = createRemoteJWKSet(new URL(jwksUri));
    const person = await story.enrolled();
    const verify = (token: string): Promise<unknown> =>
      jwtVerify(token, keys, {
        ...{ issuer, audience, typ: 'at+jwt', algorithms: ['ES256'] },
        currentDate: new Date(story.clock.millis),
      });

    await expect(verify(person.accessToken)).resolves.toMatchObject({ payload: { amr: ['pwd', 'otp'] } });
    await expect(verify(await story.mfaToken(person))).rejects.toThrow();
    await expect(verify(await withClaims(person.accessToken, { aud: 'other' }))).rejects.toThrow('"aud"');
    await expect(verify(await withClaims(person.accessToken, {}, 'JWT'))).rejects.toThrow('"typ"');
  });

  // Without Spring Security on this machine, the fixture above covers the same facts.
  if (CLASS_PATH !== undefined) {
    describe('resource servers with Spring Security', () => {
      it('A10: Spring Security accepts access tokens and rejects everything that the fixture demands to be rejected', async () => {
        const person = await story.enrolled();
        const { accessToken } = person;
        const presented: Record<string, Presented> = {
          'an access token': ['at+jwt', accessToken],
          'an access token of type JWT': ['JWT', await withClaims(accessToken, {}, 'JWT')],
          'an mfa_token': ['at+jwt', await story.mfaToken(person)],
          'an mfa_token as JWT': ['JWT', await story.mfaToken(person)],
          'another audience': ['at+jwt', await withClaims(accessToken, { aud: 'other' })],
          'another audience as JWT': ['JWT', await withClaims(accessToken, { aud: 'other' }, 'JWT')],
          'another client': ['at+jwt', await withClaims(accessToken, { client_id: 'other' })],
          'another issuer': ['at+jwt', await withClaims(accessToken, { iss: 'https://attacker.example' })],
          'the type JWT for at+jwt': ['at+jwt', await withClaims(accessToken, {}, 'JWT')],
          'the type at+jwt for JWT': ['JWT', accessToken],
          'the type of mfa_tokens': ['at+jwt', await withClaims(accessToken, {}, 'mfa+jwt')],
        };
        for (const typ of PROFILE.types) presented[typ] = ['at+jwt', await withClaims(accessToken, {}, typ)];
        const claims = Object.keys(decodeJwt(accessToken)).filter((claim) => claim !== 'amr');
        for (const claim of claims) {
          presented[`no ${claim}`] = ['at+jwt', await withClaims(accessToken, { [claim]: undefined })];
        }

        const verdicts = springSecurityVerdicts(CLASS_PATH, await trust(), Object.values(presented));

        const rejected = Object.keys(presented).filter((_, index) => verdicts[index]?.startsWith('rejected'));
        const accepted = Object.keys(presented).filter((_, index) =>
          verdicts[index]?.startsWith('accepted [pwd, otp]'),
        );
        const optional = claims.filter((claim) => !PROFILE.demandedBySpring.includes(claim));
        expect(accepted, verdicts.join('\n')).toEqual([
          'an access token',
          'an access token of type JWT',
          ...PROFILE.types,
          ...optional.map((claim) => `no ${claim}`),
        ]);
        expect(rejected).toHaveLength(Object.keys(presented).length - accepted.length);
      }, 60_000);

      it('Spring Security tells any second factor from a phishing-resistant one', async () => {
        const { accessToken } = await story.signInByPassword(story.person());
        const acr = 'urn:login:acr:mfa';
        const methods = ['otp', 'hwk', 'swk'].map((method) => withClaims(accessToken, { amr: ['pwd', method], acr }));
        const tokens = [accessToken, ...(await Promise.all(methods))];

        const presented = tokens.map((token): Presented => ['at+jwt', token]);
        expect(springSecurityVerdicts(CLASS_PATH, await trust(), presented)).toEqual([
          'accepted [pwd]',
          'accepted [pwd, otp], second factor',
          'accepted [pwd, hwk], second factor, phishing-resistant',
          'accepted [pwd, swk], second factor, phishing-resistant',
        ]);
      }, 60_000);
    });
  }
});

/** A signing key, and the file that the configuration names. */
function newKey(): { readonly privateKey: KeyObject; readonly pem: string } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = join(temporaryFolder('signing-key'), 'signing.pem');
  writeFileSync(file, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { privateKey: pair.privateKey, pem: `file:${file}` };
}
