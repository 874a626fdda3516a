import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** Who we are towards one identity provider (SAML metadata 2.4.4). */
export interface ServiceProvider {
  readonly entityId: string;
  /** Where assertions are posted. */
  readonly acsUrl: string;
  /** Where logout messages go. */
  readonly sloUrl: string;
  readonly keys?: ServiceProviderKeys;
}

/** What signs what we send; PEM texts. */
export interface SigningKeys {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The key also opens what is encrypted for us. */
export interface ServiceProviderKeys extends SigningKeys {
  /** The private key, read once: reading takes longer than opening with it. */
  readonly decryptionKey: KeyObject;
}

/** `base` is where the world reaches the service, with the context path. */
export function createServiceProvider(
  base: string,
  idp: string,
  { spEntityId, keys }: { readonly spEntityId?: string | undefined; readonly keys?: ServiceProviderKeys | undefined },
): ServiceProvider {
  const own = `${base}/saml/${idp}`;
  return {
    entityId: spEntityId ?? `${own}/metadata`,
    acsUrl: `${own}/acs`,
    sloUrl: `${own}/slo`,
    ...(keys && { keys }),
  };
}

/** The own certificate, without those of its authorities, and the key in the clear; undefined for what is no PEM. */
export function keysOf({ cert, key, passphrase }: SecureContextOptions): ServiceProviderKeys | undefined {
  if (typeof cert !== 'string' || typeof key !== 'string') return undefined;
  const [certificate] = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(cert) ?? [];
  if (certificate === undefined) return undefined;
  const opened = createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
  return { certificate, privateKey: opened.export({ format: 'pem', type: 'pkcs8' }).toString(), decryptionKey: opened };
}
