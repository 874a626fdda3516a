import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launchChromium } from '../pages/chromium.js';
import { needs } from '../runner/needs.js';
import { COSE_ALGORITHM, PASSKEY_ALGORITHMS } from './passkey-key.js';
import { VirtualAuthenticator, type VirtualAuthenticatorOptions } from './virtual-authenticator.js';

const RP_ID = 'localhost';

/** Runs in the page. */
const CREATE = `async (json, signal) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
  return (await navigator.credentials.create({ publicKey, signal })).toJSON();
}`;
const GET = `async (json) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
  return (await navigator.credentials.get({ publicKey })).toJSON();
}`;

type UserVerification = 'required' | 'preferred' | 'discouraged';

needs('chromium')('virtual authenticators of Chromium', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>site</title>'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    await page.goto(origin);
  });

  afterEach(() => page.context().close());

  afterAll(async () => {
    await browser.close();
    server.close();
  });

  async function register(
    userVerification: UserVerification = 'preferred',
    algorithms: readonly number[] = [COSE_ALGORITHM.ES256],
    excluded: readonly string[] = [],
  ) {
    const options = await generateRegistrationOptions({
      rpName: 'Login test',
      rpID: RP_ID,
      userName: 'anna',
      supportedAlgorithmIDs: [...algorithms],
      authenticatorSelection: { userVerification, residentKey: 'preferred' },
      excludeCredentials: excluded.map((id) => ({ id })),
    });
    const response = await page.evaluate<RegistrationResponseJSON>(`(${CREATE})(${JSON.stringify(options)})`);
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: options.challenge,
      expectedOrigin: origin,
      expectedRPID: RP_ID,
      requireUserVerification: userVerification === 'required',
      supportedAlgorithmIDs: [...algorithms],
    });
    if (!registrationInfo) throw new Error('the registration is wrong');
    return registrationInfo;
  }

  async function assert(
    credential: WebAuthnCredential,
    {
      tab = page,
      isListed = true,
      userVerification = 'preferred',
    }: { tab?: Page; isListed?: boolean; userVerification?: UserVerification } = {},
  ) {
    const options = await generateAuthenticationOptions({
      rpID: RP_ID,
      userVerification,
      ...(isListed ? { allowCredentials: [{ id: credential.id }] } : {}),
    });
    const response = await tab.evaluate<AuthenticationResponseJSON>(`(${GET})(${JSON.stringify(options)})`);
    return verifyAuthenticationResponse({
      response,
      expectedChallenge: options.challenge,
      expectedOrigin: origin,
      expectedRPID: RP_ID,
      credential,
      requireUserVerification: userVerification === 'required',
    });
  }

  it.each<readonly [string, VirtualAuthenticatorOptions, object]>([
    ['a security key', {}, { userVerified: false, credentialDeviceType: 'singleDevice', credentialBackedUp: false }],
    [
      'a security key with a PIN',
      { hasResidentKey: true, hasUserVerification: true },
      { userVerified: true, credentialDeviceType: 'singleDevice', credentialBackedUp: false },
    ],
    [
      'a phone that syncs its passkeys',
      { transport: 'internal', hasResidentKey: true, hasUserVerification: true, isSynced: true },
      { userVerified: true, credentialDeviceType: 'multiDevice', credentialBackedUp: true },
    ],
  ])('%s registers a passkey and signs with it', async (_what, options, facts) => {
    const authenticator = await VirtualAuthenticator.addTo(page, options);

    const { credential, ...info } = await register();
    const verdict = await assert(credential);

    expect(info).toMatchObject(facts);
    expect(verdict).toMatchObject({ verified: true, authenticationInfo: facts });
    expect(await authenticator.credentials()).toMatchObject([
      { rpId: RP_ID, isResidentCredential: options.hasResidentKey ?? false },
    ]);
  });

  it.each(PASSKEY_ALGORITHMS)('a security key registers a passkey with %s', async (algorithm) => {
    await VirtualAuthenticator.addTo(page);

    const { credential } = await register('preferred', [COSE_ALGORITHM[algorithm]]);

    expect((await assert(credential)).verified).toBe(true);
  });

  it('a resident passkey works without a list, and in another tab once copied', async () => {
    const authenticator = await VirtualAuthenticator.addTo(page, { hasResidentKey: true, hasUserVerification: true });
    const { credential } = await register();
    const tab = await page.context().newPage();
    await tab.goto(origin);
    await authenticator.copyTo(tab);

    expect((await assert(credential, { isListed: false })).verified).toBe(true);
    expect((await assert(credential, { isListed: false, tab })).verified).toBe(true);
  });

  it('a tab keeps its authenticators after navigation', async () => {
    await VirtualAuthenticator.addTo(page);
    const { credential } = await register();
    await page.goto(`${origin}/another`);

    expect((await assert(credential)).verified).toBe(true);
  });

  it('a user who fails the verification is not verified, and cannot sign where verification is required', async () => {
    const authenticator = await VirtualAuthenticator.addTo(page, { hasUserVerification: true });
    const { credential } = await register('required');
    await authenticator.setUserVerified(false);

    await expect(assert(credential, { userVerification: 'required' })).rejects.toThrow('NotAllowedError');
    expect(await assert(credential, { userVerification: 'discouraged' })).toMatchObject({
      verified: true,
      authenticationInfo: { userVerified: false },
    });
  });

  it('a counter that was set back and a bogus signature are rejected', async () => {
    const authenticator = await VirtualAuthenticator.addTo(page);
    const { credential } = await register();
    const counter = 10;
    const [passkey] = await authenticator.credentials();
    if (!passkey) throw new Error('the authenticator has no passkey');

    await authenticator.change(passkey, { signCount: counter - 5 });
    await expect(assert({ ...credential, counter })).rejects.toThrow('lower than expected');
    await authenticator.change(passkey, { signCount: counter });
    expect(await assert({ ...credential, counter })).toMatchObject({ verified: true });
    await authenticator.falsify({ isBogusSignature: true });
    await expect(assert(credential)).rejects.toThrow();
  });

  it('an authenticator rejects options that exclude its passkey', async () => {
    await VirtualAuthenticator.addTo(page);
    const { credential } = await register();

    await expect(register('preferred', [COSE_ALGORITHM.ES256], [credential.id])).rejects.toThrow('InvalidStateError');
  });

  it('a request of a user who does not touch the authenticator ends when the page aborts it', async () => {
    const authenticator = await VirtualAuthenticator.addTo(page, { isUserPresent: false });
    const options = JSON.stringify(await generateRegistrationOptions({ rpName: 'x', rpID: RP_ID, userName: 'anna' }));

    await page.evaluate(`{
      window.abort = new AbortController();
      window.ended = (${CREATE})(${options}, window.abort.signal).then(() => 'created', (error) => error.name);
      undefined;
    }`);
    await expect(register()).rejects.toThrow('already pending');
    await page.evaluate('window.abort.abort()');

    expect(await page.evaluate('window.ended')).toBe('AbortError');
    await authenticator.setUserPresent(true);
    await expect(register()).resolves.toBeDefined();
  });

  it('a page at 127.0.0.1 cannot use passkeys', async () => {
    await VirtualAuthenticator.addTo(page);
    await page.goto(origin.replace('localhost', '127.0.0.1'));

    await expect(register()).rejects.toThrow('SecurityError');
  });
});
