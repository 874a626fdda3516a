import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { CompactSign } from 'jose';
import { type MadeCertificate, makeCertificate } from '../http/certificates.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

/** A model of authenticators. */
export const MODEL = 'cb69481e-8ff7-4039-93ec-0a2729a154a8';

/** The certificate as metadata and headers contain it. */
export function derOf({ pem }: MadeCertificate): string {
  return new X509Certificate(pem).raw.toString('base64');
}

/** The statement of a model whose attestations lead to the root. */
export function statementOf(root: MadeCertificate, aaguid = MODEL): Readonly<Record<string, unknown>> {
  return { aaguid, description: 'Key of the Tests', attestationRootCertificates: [derOf(root)] };
}

export interface BlobParts {
  readonly statement: Readonly<Record<string, unknown>>;
  readonly nextUpdate?: string;
  readonly status?: string;
  /** Certificates in the header; the key of the first one signs. */
  readonly signers: readonly MadeCertificate[];
}

/** The BLOB of a metadata service (FIDO Metadata Service v3, section 3.1.6). */
export async function blobOf({ statement, nextUpdate = '2999-01-01', status, signers }: BlobParts): Promise<string> {
  const [signer] = signers;
  if (!signer) throw new TypeError('a BLOB has a signer');
  const statusReports = status === undefined ? [] : [{ status: 'FIDO_CERTIFIED' }, { status }];
  const entries = [
    { aaguid: statement['aaguid'], metadataStatement: statement, statusReports },
    { attestationCertificateKeyIdentifiers: ['00'], statusReports: [{ status: 'REVOKED' }] },
  ];
  const payload = Buffer.from(JSON.stringify({ legalHeader: '', no: 1, nextUpdate, entries }));
  return new CompactSign(payload)
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', x5c: signers.map(derOf) })
    .sign(createPrivateKey(readFileSync(signer.key)));
}

/** The path of a new file with this content. */
export function metadataFile(content: unknown): string {
  const path = join(temporaryFolder('metadata'), 'metadata');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** A private metadata service: its root, and a certificate that signs for it. */
export function metadataSigner(): { readonly root: MadeCertificate; readonly signer: MadeCertificate } {
  const root = makeCertificate({ name: 'metadata.root.test' });
  return { root, signer: makeCertificate({ name: 'metadata.test', signedBy: root }) };
}

/** An attestation object (WebAuthn level 3, section 6.5.4) whose signature is not valid. */
export function attestationObject(parts: {
  readonly format?: string;
  readonly aaguid?: string;
  readonly chain?: readonly MadeCertificate[];
  /** In place of `chain`: what a client sends as certificates. */
  readonly x5c?: readonly Uint8Array[];
}): Uint8Array<ArrayBuffer> {
  const { format = 'packed', aaguid = MODEL, chain } = parts;
  const x5c = (parts.x5c ?? chain?.map(({ pem }) => new X509Certificate(pem).raw))?.map((der) => new Uint8Array(der));
  const statement = new Map<string, Uint8Array | number | Uint8Array[]>();
  if (format !== 'none') statement.set('alg', -7).set('sig', new Uint8Array(70));
  if (x5c) statement.set('x5c', x5c);
  const fields = new Map<string, unknown>([
    ['fmt', format],
    ['attStmt', statement],
    ['authData', authenticatorData(aaguid)],
  ]);
  return new Uint8Array(isoCBOR.encode(fields as Parameters<typeof isoCBOR.encode>[0]));
}

function authenticatorData(aaguid: string): Uint8Array {
  const coordinate = new Uint8Array(32).fill(7);
  const key = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, coordinate],
    [-3, coordinate],
  ]);
  return new Uint8Array(
    Buffer.concat([
      createHash('sha256').update('login.example.com').digest(),
      Buffer.from('4500000000', 'hex'),
      Buffer.from(aaguid.replaceAll('-', ''), 'hex'),
      Buffer.from('0010', 'hex'),
      Buffer.alloc(16, 1),
      isoCBOR.encode(key),
    ]),
  );
}
