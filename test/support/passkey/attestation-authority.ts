import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeCertificate, type MadeCertificate } from '../http/certificates.js';

/** id-fido-gen-ce-aaguid (WebAuthn section 8.2.1). */
const AAGUID_EXTENSION = '1.3.6.1.4.1.45724.1.1.4';
/** A packed attestation certificate has exactly this unit (WebAuthn section 8.2.1). */
const UNIT = 'Authenticator Attestation';

/** The certificate of one model of authenticators, and its signature. */
export interface AttestationSigner {
  /** DER. */
  readonly certificate: Buffer;
  /** ES256. */
  sign(data: Uint8Array): Buffer;
}

/** A maker of authenticators: its root certificate signs the certificate of each model. */
export class AttestationAuthority {
  private readonly root: MadeCertificate = makeCertificate({ name: 'Login test authenticator root' });
  private readonly signers = new Map<string, AttestationSigner>();

  /** PEM of the root certificate, the trust anchor in metadata. */
  get pem(): string {
    return this.root.pem;
  }

  /** Signs for the model with this AAGUID; `certified` is the AAGUID in the certificate, if it is another one. */
  signerOf(aaguid: string, certified = aaguid): AttestationSigner {
    const signer = this.signers.get(certified) ?? makeSigner(certified, this.root);
    this.signers.set(certified, signer);
    return signer;
  }
}

function makeSigner(aaguid: string, signedBy: MadeCertificate): AttestationSigner {
  const { pem, key: keyFile } = makeCertificate({
    signedBy,
    subject: `/C=US/O=Login test/OU=${UNIT}/CN=Model ${aaguid}`,
    isAuthority: false,
    // The value is an OCTET STRING of 16 bytes.
    extensions: new Map([[AAGUID_EXTENSION, Buffer.from(`0410${aaguid.replaceAll('-', '')}`, 'hex')]]),
  });
  const key = createPrivateKey(readFileSync(keyFile));
  return { certificate: new X509Certificate(pem).raw, sign: (data) => sign('sha256', data, key) };
}
