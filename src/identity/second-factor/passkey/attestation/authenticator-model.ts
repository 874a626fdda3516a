import { createHash, type X509Certificate } from 'node:crypto';

/** A model of authenticators, as its metadata describe it. */
export interface AuthenticatorModel {
  /** Missing for an entry without a statement. */
  readonly description: string | undefined;
  /** DER certificates in Base64, to which attestations of the model lead. */
  readonly roots: readonly string[];
  /** Why authenticators of this model must not be trusted: a status of the FIDO Metadata Service. */
  readonly distrust: string | undefined;
}

export interface MetadataContents {
  /** By AAGUID, and by the identifiers of the keys that attest them (`keyIdentifierOf`), in lower case. */
  readonly models: ReadonlyMap<string, AuthenticatorModel>;
  /** When newer metadata were due, in milliseconds since 1970; undefined for statements without a date. */
  readonly outdatedFrom: number | undefined;
}

/** Thrown for metadata that cannot be used; the message is the end of a sentence that begins with the file. */
export class UnusableMetadata extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'UnusableMetadata';
  }
}

/**
 * The identifier of the key in an attestation certificate as metadata contain it (FIDO Metadata Statement v3, section 3.1; RFC
 * 5280 section 4.2.1.2, method 1). Undefined unless the key is on P-256, as that of every U2F authenticator is (WebAuthn level 3,
 * section 8.6).
 */
export function keyIdentifierOf(certificate: X509Certificate): string | undefined {
  try {
    const { crv, x, y } = certificate.publicKey.export({ format: 'jwk' });
    if (crv !== 'P-256' || x === undefined || y === undefined) return undefined;
    const uncompressed = Buffer.of(4);
    return createHash('sha1').update(uncompressed).update(x, 'base64url').update(y, 'base64url').digest('hex');
  } catch {
    // The certificate comes from the client, and its key may be of any kind.
    return undefined;
  }
}
