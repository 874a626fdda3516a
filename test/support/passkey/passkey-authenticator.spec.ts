import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  SettingsService,
  type VerifiedAuthenticationResponse,
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AttestationAuthority } from './attestation-authority.js';
import { HOSTILE_ASSERTIONS, UNCHECKED_ASSERTIONS } from './hostile-passkey-assertions.js';
import { HARMLESS_MESSAGES } from './hostile-passkey-messages.js';
import {
  HARMLESS_REGISTRATIONS,
  HOSTILE_REGISTRATIONS,
  UNCHECKED_REGISTRATIONS,
} from './hostile-passkey-registrations.js';
import { needs } from '../runner/needs.js';
import {
  type AssertionOverrides,
  type AuthenticatorOptions,
  type RegistrationOverrides,
  SoftwareAuthenticator,
} from './passkey-authenticator.js';
import { COSE_ALGORITHM, PASSKEY_ALGORITHMS } from './passkey-key.js';

const SITE = { rpId: 'login.test', origin: 'https://login.test' };
const AAGUID = '12345678-90ab-cdef-1234-567890abcdef';
const MODES = PASSKEY_ALGORITHMS.flatMap((algorithm) => [
  { algorithm, isSynced: false },
  { algorithm, isSynced: true },
]);

/** A relying party over the library, with one passkey. */
class Site {
  readonly authenticator: SoftwareAuthenticator;
  private stored: WebAuthnCredential | undefined;

  constructor(options: Partial<AuthenticatorOptions> = {}) {
    this.authenticator = new SoftwareAuthenticator({ ...SITE, ...options });
  }

  creationOptions(): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return generateRegistrationOptions({
      rpName: 'Login test',
      rpID: SITE.rpId,
      userName: 'anna',
      supportedAlgorithmIDs: Object.values(COSE_ALGORITHM),
      attestationType: 'direct',
    });
  }

  requestOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return generateAuthenticationOptions({
      rpID: SITE.rpId,
      ...(this.stored ? { allowCredentials: [{ id: this.stored.id }] } : {}),
    });
  }

  async register(
    overrides: RegistrationOverrides = {},
    requireUserVerification = false,
  ): Promise<VerifiedRegistrationResponse> {
    const options = await this.creationOptions();
    const response = made(() => this.authenticator.register(options, overrides));
    const verdict = await verifyRegistrationResponse({
      response,
      expectedChallenge: options.challenge,
      expectedOrigin: SITE.origin,
      expectedRPID: SITE.rpId,
      supportedAlgorithmIDs: Object.values(COSE_ALGORITHM),
      requireUserVerification,
    });
    this.stored = verdict.registrationInfo?.credential;
    return verdict;
  }

  async assert(
    overrides: AssertionOverrides = {},
    requireUserVerification = false,
  ): Promise<VerifiedAuthenticationResponse> {
    const options = await this.requestOptions();
    if (!this.stored) throw new Error('register first');
    const response = made(() => this.authenticator.assert(options, overrides));
    const verdict = await verifyAuthenticationResponse({
      response,
      expectedChallenge: options.challenge,
      expectedOrigin: SITE.origin,
      expectedRPID: SITE.rpId,
      credential: this.stored,
      requireUserVerification,
    });
    if (verdict.verified) this.stored = { ...this.stored, counter: verdict.authenticationInfo.newCounter };
    return verdict;
  }
}

/** A failure of the authenticator itself. */
class NotMade extends Error {}

function made<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new NotMade('the authenticator made no response', { cause });
  }
}

/** True if the library accepts; it rejects in two ways. */
async function isVerified(verdict: Promise<{ readonly verified: boolean }>): Promise<boolean> {
  return verdict.then(
    ({ verified }) => verified,
    (error: unknown) => {
      if (error instanceof NotMade) throw error;
      return false;
    },
  );
}

describe('software authenticator of the tests', () => {
  it.each(MODES)('the library verifies $algorithm, synced: $isSynced', async ({ algorithm, isSynced }) => {
    const site = new Site({ algorithm, isSynced });
    const { registrationInfo } = await site.register();
    const first = await site.assert();
    const second = await site.assert();

    expect(registrationInfo).toMatchObject({
      fmt: 'none',
      userVerified: true,
      credentialDeviceType: isSynced ? 'multiDevice' : 'singleDevice',
      credentialBackedUp: isSynced,
      credential: { counter: 0, id: site.authenticator.credentials[0]?.id },
    });
    expect(first).toMatchObject({ verified: true, authenticationInfo: { newCounter: isSynced ? 0 : 1 } });
    expect(second).toMatchObject({ verified: true, authenticationInfo: { newCounter: isSynced ? 0 : 2 } });
  });

  it.each(PASSKEY_ALGORITHMS)('the library verifies a self attestation of %s', async (algorithm) => {
    const { registrationInfo } = await new Site({ algorithm, attestation: 'packed-self', aaguid: AAGUID }).register();

    expect(registrationInfo).toMatchObject({ fmt: 'packed', aaguid: AAGUID });
  });

  needs('openssl')('attestation by a certificate', () => {
    let authority: AttestationAuthority;
    let stranger: AttestationAuthority;

    beforeAll(() => {
      [authority, stranger] = [new AttestationAuthority(), new AttestationAuthority()];
      SettingsService.setRootCertificates({ identifier: 'packed', certificates: [authority.pem] });
    });

    afterAll(() => {
      SettingsService.setRootCertificates({ identifier: 'packed', certificates: [] });
    });

    function certified(by: AttestationAuthority): Site {
      return new Site({ attestation: 'packed-certificate', aaguid: AAGUID, authority: by });
    }

    it('the library trusts the certificate of a model whose root it knows', async () => {
      expect(await certified(authority).register()).toMatchObject({
        verified: true,
        registrationInfo: { fmt: 'packed', aaguid: AAGUID },
      });
    });

    it('the library rejects a certificate of another root', async () => {
      await expect(certified(stranger).register()).rejects.toThrow('could not be chained');
    });

    it('the library rejects a certificate of another model', async () => {
      await expect(certified(authority).register({ certifiedAaguid: AAGUID.replace('1', '2') })).rejects.toThrow(
        'id-fido-gen-ce-aaguid',
      );
    });

    it('the library rejects a changed signature of the certificate', async () => {
      expect(await certified(authority).register({ signature: () => Buffer.from('3006020101020101', 'hex') })).toEqual({
        verified: false,
      });
    });
  });

  it.each(HOSTILE_REGISTRATIONS)('the library rejects a registration with $title', async ({ overrides }) => {
    expect(await isVerified(new Site().register(overrides(SITE)))).toBe(false);
  });

  it.each(UNCHECKED_REGISTRATIONS)('the library accepts a registration with $title', async ({ overrides }) => {
    expect(await isVerified(new Site().register(overrides(SITE)))).toBe(true);
  });

  it.each(HARMLESS_REGISTRATIONS)('the library accepts a registration with $title', async ({ overrides }) => {
    expect(await isVerified(new Site().register(overrides(SITE)))).toBe(true);
  });

  describe('assertions', () => {
    let site: Site;

    beforeAll(async () => {
      site = new Site();
      await site.register();
      await site.assert();
    });

    it.each(HOSTILE_ASSERTIONS)('the library rejects an assertion with $title', async ({ overrides }) => {
      expect(await isVerified(site.assert(overrides(SITE)))).toBe(false);
    });

    it.each([...UNCHECKED_ASSERTIONS, ...HARMLESS_MESSAGES])(
      'the library accepts an assertion with $title',
      async ({ overrides }) => {
        expect(await isVerified(site.assert(overrides(SITE)))).toBe(true);
      },
    );
  });

  it('the library rejects a user who was not verified only where verification is required', async () => {
    const site = new Site({ userVerified: false });

    expect(await isVerified(site.register({}, true))).toBe(false);
    expect(await isVerified(site.register({}, false))).toBe(true);
    expect(await isVerified(site.assert({}, true))).toBe(false);
    expect(await isVerified(site.assert({}, false))).toBe(true);
  });

  it.each([
    [
      'the RP ID of another site',
      (options: PublicKeyCredentialCreationOptionsJSON) => ({ ...options, rp: { id: 'evil.example' } }),
      'SecurityError',
    ],
    [
      'only other algorithms',
      (options: PublicKeyCredentialCreationOptionsJSON) => ({ ...options, pubKeyCredParams: [{ alg: -257 }] }),
      'NotSupportedError',
    ],
  ])('the authenticator rejects options with %s, as browsers do', async (_what, change, error) => {
    const site = new Site();
    const options = await site.creationOptions();

    expect(() => site.authenticator.register(change(options))).toThrow(error);
  });

  it('the authenticator rejects options that exclude its passkey, and options that allow only others', async () => {
    const site = new Site();
    const options = await site.creationOptions();
    const { id } = site.authenticator.register(options);
    const excluding = { ...options, excludeCredentials: [{ id }] };
    const request = { ...(await site.requestOptions()), allowCredentials: [{ id: 'another' }] };

    expect(() => site.authenticator.register(excluding)).toThrow('InvalidStateError');
    expect(() => site.authenticator.assert(request)).toThrow('NotAllowedError');
  });

  it('an authenticator without user verification rejects options that require it', async () => {
    const site = new Site({ userVerified: false });
    await site.register();
    const options: PublicKeyCredentialRequestOptionsJSON = {
      ...(await site.requestOptions()),
      userVerification: 'required',
    };

    expect(() => site.authenticator.assert(options)).toThrow('NotAllowedError');
  });
});
