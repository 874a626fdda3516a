import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** This service, as one identity provider knows it (SAML metadata 2.4.4). */
export interface ServiceProvider {
  readonly entityId: string;
  /** Where assertions are posted. */
  readonly acsUrl: string;
  /** Where logout messages go. */
  readonly sloUrl: string;
  readonly keys?: ServiceProviderKeys;
}

/** The key and certificate that sign our messages; PEM texts. */
export interface SigningKeys {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The same key decrypts assertions. */
export interface ServiceProviderKeys extends SigningKeys {
  /** The parsed private key: parsing takes longer than decrypting. */
  readonly decryptionKey: KeyObject;
}

/** `base` is the public URL of the service, with the context path. */
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
    ...withoutUndefined({ keys }),
  };
}

/** The leaf certificate and the decrypted key; undefined for anything but PEM. */
export function keysOf({ cert, key, passphrase }: SecureContextOptions): ServiceProviderKeys | undefined {
  if (typeof cert !== 'string' || typeof key !== 'string') return undefined;
  const [certificate] = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(cert) ?? [];
  if (certificate === undefined) return undefined;
  const opened = createPrivateKey({ key, ...withoutUndefined({ passphrase }) });
  return { certificate, privateKey: opened.export({ format: 'pem', type: 'pkcs8' }).toString(), decryptionKey: opened };
}
