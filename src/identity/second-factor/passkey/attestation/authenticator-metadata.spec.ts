import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  blobOf,
  metadataSigner,
  MODEL,
  statementOf,
} from '../../../../../test/support/passkey/authenticator-metadata.js';
import { makeCertificate } from '../../../../../test/support/http/certificates.js';
import { SystemClock } from '../../../../kernel/clock/clock.js';
import { readMetadata } from './authenticator-metadata.js';
import { keyIdentifierOf } from './authenticator-model.js';

const HOSTS = ['mds.fidoalliance.org', 'mds3.fidoalliance.org'];
const { root } = metadataSigner();
const root509 = new X509Certificate(root.pem);
const signers = { roots: [root509], hosts: HOSTS };

it.each(HOSTS)('the certificate of %s may sign a BLOB', async (host) => {
  const signer = makeCertificate({ name: host, names: `DNS:${host}`, signedBy: root });
  const blob = await blobOf({ statement: statementOf(root), signers: [signer] });

  const { models } = await readMetadata(blob, signers, new SystemClock().millis() + 60_000);
  expect([...models.keys()]).toEqual([MODEL, '00']);
});

it.each(['fidoalliance.org', 'mds.fidoalliance.org.example.com', 'shop.example'])(
  'the certificate of %s, which the same root certifies, may not sign a BLOB',
  async (host) => {
    const signer = makeCertificate({ name: host, names: `DNS:${host}`, signedBy: root });
    const blob = await blobOf({ statement: statementOf(root), signers: [signer] });

    await expect(readMetadata(blob, signers, new SystemClock().millis() + 60_000)).rejects.toThrow(
      'its signer is none of',
    );
  },
);

describe('the key identifier of an attestation certificate', () => {
  it('is the subject key identifier in the certificate', () => {
    const extension = '0603551d0e04160414';

    expect(root509.raw.toString('hex')).toContain(extension + String(keyIdentifierOf(root509)));
  });

  it('an RSA key, which no U2F authenticator has, gets none', () => {
    expect(keyIdentifierOf(new X509Certificate(makeCertificate({ key: 'rsa' }).pem))).toBeUndefined();
  });
});
