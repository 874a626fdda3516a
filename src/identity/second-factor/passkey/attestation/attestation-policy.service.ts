import { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../../kernel/collections/without-undefined.js';
import type { AttestationRejection } from '../../../../kernel/errors/reason.js';
import { AuthenticatorMetadata } from './authenticator-metadata.service.js';
import { type AuthenticatorModel, keyIdentifierOf, UnusableMetadata } from './authenticator-model.js';
import { MAX_AUTHENTICATOR_NAME_LENGTH } from '../../factor-state.js';
import { PasskeyProperties } from '../passkey.properties.js';
import { leadsTo } from './trust-path.js';

export type AttestationVerdict =
  /** `name` is the name of the model, for new passkeys. */
  | { readonly kind: 'accepted'; readonly name?: string }
  | { readonly kind: 'rejected'; readonly reason: AttestationRejection };

/** The parts of an attestation object that policy reads. */
interface Attestation {
  readonly format: string;
  readonly aaguid: string;
  /** Certificates of the statement; undefined if it has none, and so proves no model. */
  readonly chain: readonly X509Certificate[] | undefined;
}

/**
 * `android-safetynet` attests an app with a certificate of any web server, and is no longer issued. For `android-key`, the
 * library fetches revocation lists from addresses in the certificates of the client before it knows their root.
 */
const UNSUPPORTED = new Set(['android-safetynet', 'android-key']);

/** Decides which models of authenticators may be registered. */
@Injectable()
export class AttestationPolicy {
  constructor(
    private readonly passkeys: PasskeyProperties,
    private readonly metadata: AuthenticatorMetadata,
    private readonly clock: Clock,
  ) {}

  /**
   * Judges the model that an attestation object names, and the certificates that prove it, but no signature: call it before
   * `verifyRegistrationResponse`, which fetches revocation lists from addresses in the certificates of some formats.
   */
  async judge(attestationObject: Uint8Array<ArrayBuffer>): Promise<AttestationVerdict> {
    const attestation = await readAttestation(attestationObject);
    if (!attestation) return rejected('attestation_malformed');
    try {
      const model = await this.metadata.statementOf(modelIdOf(attestation));
      const reason = await this.rejection(attestation, model);
      if (reason !== undefined) return rejected(reason);
      return { kind: 'accepted', ...withoutUndefined({ name: shortened(model?.description) }) };
    } catch (error) {
      if (error instanceof UnusableMetadata) return rejected('metadata_unusable');
      throw error;
    }
  }

  private async rejection(
    { format, aaguid, chain }: Attestation,
    model: AuthenticatorModel | undefined,
  ): Promise<AttestationRejection | undefined> {
    const { allowedAaguids, attestation } = this.passkeys;
    const isLimited = allowedAaguids.length > 0;
    if (isLimited && !allowedAaguids.includes(aaguid)) return 'authenticator_not_allowed';
    if (model?.distrust !== undefined) return 'authenticator_distrusted';
    // Browsers pass on an attestation only if one was requested.
    if (UNSUPPORTED.has(format) || (chain && attestation === 'none')) return 'attestation_format';
    if (!chain) return isLimited ? 'attestation_missing' : undefined;
    const roots = model ? certificatesOf(model.roots) : await rootsOfFormat(format);
    // A list of models needs the roots of each one: the roots of a format certify many.
    if (roots.length === 0 || (isLimited && !model)) return isLimited || model ? 'attestation_untrusted' : undefined;
    return leadsTo(chain, roots, this.clock.millis()) ? undefined : 'attestation_untrusted';
  }
}

/** The name of the model in metadata: U2F authenticators have no AAGUID, but certificates for their model alone. */
function modelIdOf({ format, aaguid, chain }: Attestation): string {
  const certificate = format === 'fido-u2f' && /^[0-]*$/.test(aaguid) ? chain?.[0] : undefined;
  return (certificate && keyIdentifierOf(certificate)) ?? aaguid;
}

/** At most as long as a name that a user gives. */
function shortened(name = ''): string | undefined {
  return Array.from(name).slice(0, MAX_AUTHENTICATOR_NAME_LENGTH).join('').trim() || undefined;
}

function rejected(reason: AttestationRejection): AttestationVerdict {
  return { kind: 'rejected', reason };
}

/** Undefined for bytes that are no attestation object with a credential. */
async function readAttestation(bytes: Uint8Array<ArrayBuffer>): Promise<Attestation | undefined> {
  const { convertAAGUIDToString, decodeAttestationObject, parseAuthenticatorData } =
    await import('@simplewebauthn/server/helpers');
  try {
    const decoded = decodeAttestationObject(bytes);
    const { aaguid } = parseAuthenticatorData(decoded.get('authData'));
    const chain = decoded.get('attStmt').get('x5c');
    return {
      format: decoded.get('fmt'),
      aaguid: aaguid ? convertAAGUIDToString(aaguid) : '',
      chain: chain?.map((der) => strictCertificate(der)),
    };
  } catch {
    return undefined;
  }
}

/**
 * Node also finds PEM between other bytes, where the library reads the DER around it: the policy would then trust another
 * certificate than the one whose key verifies the signature.
 * @throws Error unless the bytes are the DER of one certificate
 */
function strictCertificate(der: Uint8Array): X509Certificate {
  const certificate = new X509Certificate(der);
  if (!certificate.raw.equals(der)) throw new Error('more or less than a certificate');
  return certificate;
}

/** Certificates of metadata; those that cannot be read certify nothing. */
function certificatesOf(roots: readonly string[]): readonly X509Certificate[] {
  return roots.flatMap((der) => {
    try {
      return [new X509Certificate(Buffer.from(der, 'base64'))];
    } catch {
      return [];
    }
  });
}

/** The roots that the library knows for a format; empty for formats of many manufacturers. */
async function rootsOfFormat(format: string): Promise<readonly X509Certificate[]> {
  if (format !== 'apple') return [];
  const { SettingsService } = await import('@simplewebauthn/server');
  return SettingsService.getRootCertificates({ identifier: format }).map((pem) => new X509Certificate(pem));
}
