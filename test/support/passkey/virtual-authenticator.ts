import type { CDPSession, Page } from 'playwright-core';

/** What an authenticator is and does; by default a security key that stores no passkeys and verifies no users. */
export interface VirtualAuthenticatorOptions {
  /** `internal` is the authenticator of the device. */
  readonly transport?: 'usb' | 'internal';
  /** Whether it stores passkeys that work without a list of allowed ones. */
  readonly hasResidentKey?: boolean;
  /** Whether it can verify its user, with a PIN or a fingerprint. */
  readonly hasUserVerification?: boolean;
  /** Whether the verification succeeds; by default, if it has one. */
  readonly isUserVerified?: boolean;
  /** Whether its passkeys are synced: backup eligible and backed up. */
  readonly isSynced?: boolean;
  /** Whether the user touches it at once, by default true. If not, a request waits until it is aborted or times out. */
  readonly isUserPresent?: boolean;
}

/** A passkey in an authenticator; binary members are Base64. */
export interface VirtualCredential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
  readonly backupEligibility?: boolean;
  readonly backupState?: boolean;
  readonly userName?: string;
  readonly userDisplayName?: string;
}

/** Chromium forgets the authenticators of a tab when the session ends that has enabled them. */
const SESSIONS = new WeakMap<Page, Promise<CDPSession>>();

/** An authenticator of Chromium in one tab, also after navigation; other tabs do not have it. */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
    private readonly options: VirtualAuthenticatorOptions,
  ) {}

  static async addTo(page: Page, options: VirtualAuthenticatorOptions = {}): Promise<VirtualAuthenticator> {
    const { transport = 'usb', hasResidentKey = false, hasUserVerification = false, isSynced = false } = options;
    const opened = SESSIONS.get(page) ?? openSession(page);
    SESSIONS.set(page, opened);
    const session = await opened;
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport,
        hasResidentKey,
        hasUserVerification,
        isUserVerified: options.isUserVerified ?? hasUserVerification,
        automaticPresenceSimulation: options.isUserPresent ?? true,
        defaultBackupEligibility: isSynced,
        defaultBackupState: isSynced,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId, options);
  }

  /** The same authenticator in another tab, with its passkeys as they are now. */
  async copyTo(page: Page): Promise<VirtualAuthenticator> {
    const copy = await VirtualAuthenticator.addTo(page, this.options);
    for (const credential of await this.credentials()) await copy.add(credential);
    return copy;
  }

  async credentials(): Promise<readonly VirtualCredential[]> {
    return (await this.session.send('WebAuthn.getCredentials', this.target)).credentials;
  }

  async add(credential: VirtualCredential): Promise<void> {
    await this.session.send('WebAuthn.addCredential', { ...this.target, credential });
  }

  /** Changes a passkey, e.g. its counter, as a clone would. */
  async change(
    { credentialId }: Pick<VirtualCredential, 'credentialId'>,
    properties: Partial<Pick<VirtualCredential, 'signCount' | 'backupEligibility' | 'backupState'>>,
  ): Promise<void> {
    await this.session.send('WebAuthn.setCredentialProperties', { ...this.target, credentialId, ...properties });
  }

  /** Whether the next verifications of the user succeed. */
  async setUserVerified(isUserVerified: boolean): Promise<void> {
    await this.session.send('WebAuthn.setUserVerified', { ...this.target, isUserVerified });
  }

  /** Whether the user touches it in the next requests; a request that waits goes on waiting. */
  async setUserPresent(enabled: boolean): Promise<void> {
    await this.session.send('WebAuthn.setAutomaticPresenceSimulation', { ...this.target, enabled });
  }

  /** Makes the next responses wrong; without arguments, right again. */
  async falsify(
    bits: { readonly isBogusSignature?: boolean; readonly isBadUV?: boolean; readonly isBadUP?: boolean } = {},
  ): Promise<void> {
    await this.session.send('WebAuthn.setResponseOverrideBits', { ...this.target, ...bits });
  }

  /** Removes all passkeys from it, as after a reset. */
  async clear(): Promise<void> {
    await this.session.send('WebAuthn.clearCredentials', this.target);
  }

  async remove(): Promise<void> {
    await this.session.send('WebAuthn.removeVirtualAuthenticator', this.target);
  }

  private get target(): { readonly authenticatorId: string } {
    return { authenticatorId: this.authenticatorId };
  }
}

async function openSession(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  return session;
}
