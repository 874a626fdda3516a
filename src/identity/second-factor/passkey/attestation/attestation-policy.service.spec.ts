import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  attestationObject,
  derOf,
  metadataFile,
  MODEL,
  statementOf,
} from '../../../../../test/support/passkey/authenticator-metadata.js';
import { makeCertificate, type MadeCertificate } from '../../../../../test/support/http/certificates.js';
import { CollectedLog } from '../../../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../../../test/support/programs/manual-clock.js';
import { SystemClock } from '../../../../kernel/clock/clock.js';
import { AttestationPolicy, type AttestationVerdict } from './attestation-policy.service.js';
import { keyIdentifierOf } from './authenticator-model.js';
import { AuthenticatorMetadata } from './authenticator-metadata.service.js';
import { PasskeyProperties } from '../passkey.properties.js';

const OTHER_MODEL = '2fc0579f-8113-47ea-b116-bb5a8db9202a';
const NO_AAGUID = '0'.repeat(32);
const root = makeCertificate({ name: 'manufacturer.test' });
const batch = makeCertificate({ name: 'batch.test', signedBy: root });
const inside = makeCertificate({ name: 'inside.test', signedBy: batch });
const forged = makeCertificate({ name: 'manufacturer.test' });
const metadata = metadataFile([statementOf(root)]);

type Keys = Partial<PasskeyProperties>;
const DIRECT: Keys = { attestation: 'direct', metadataFile: metadata };
const LIMITED: Keys = { ...DIRECT, allowedAaguids: [MODEL] };

function judge(
  keys: Keys,
  bytes: Uint8Array<ArrayBuffer>,
  clock = new ManualClock(new SystemClock().seconds() + 60),
): Promise<AttestationVerdict> {
  const passkeys = Object.assign(new PasskeyProperties(), keys);
  const service = new AuthenticatorMetadata(passkeys, clock, new CollectedLog().loggers);
  return new AttestationPolicy(passkeys, service, clock).judge(bytes);
}

const rawOf = ({ pem }: MadeCertificate): Buffer => new X509Certificate(pem).raw;

/** A certificate extension that contains a text. */
const extensionOf = (text: string): ReadonlyMap<string, Uint8Array> =>
  new Map([['1.3.6.1.4.1.99999.1', Buffer.from(`\n${text}`)]]);

const rejected = (reason: string): unknown => ({ kind: 'rejected', reason });

describe('the models of authenticators that may be registered', () => {
  it.each([
    ['without an attestation', { format: 'none' }],
    ['that attests itself', {}],
  ])('by default, an authenticator %s is accepted', async (_, parts) => {
    expect(await judge({}, attestationObject(parts))).toEqual({ kind: 'accepted' });
    expect(await judge(DIRECT, attestationObject(parts))).toEqual({ kind: 'accepted', name: 'Key of the Tests' });
  });

  it.each(['packed', 'android-key', 'tpm', 'fido-u2f', 'apple'])(
    'certificates of the format %s are rejected if no attestation was requested, before the library reads them',
    async (format) => {
      expect(await judge({}, attestationObject({ format, chain: [batch] }))).toEqual(rejected('attestation_format'));
    },
  );

  it.each(['android-safetynet', 'android-key'])('the format %s is rejected', async (format) => {
    const bytes = attestationObject({ format, chain: [batch] });

    expect(await judge({ attestation: 'direct' }, bytes)).toEqual(rejected('attestation_format'));
  });

  it('certificates of apple must lead to the roots of the manufacturer', async () => {
    const bytes = attestationObject({ format: 'apple', chain: [forged] });

    expect(await judge({ attestation: 'direct' }, bytes)).toEqual(rejected('attestation_untrusted'));
  });

  it('without metadata, a requested attestation proves no model, and is accepted', async () => {
    expect(await judge({ attestation: 'direct' }, attestationObject({ chain: [forged] }))).toEqual({
      kind: 'accepted',
    });
  });

  it.each([
    ['the root', [root]],
    ['a certificate of the root', [batch]],
    ['an intermediate authority', [inside, batch]],
  ])('an attestation by %s proves an allowed model', async (_, chain) => {
    expect(await judge(LIMITED, attestationObject({ chain }))).toEqual({ kind: 'accepted', name: 'Key of the Tests' });
  });

  it.each([
    ['by a root of the same name', { chain: [forged] }, 'attestation_untrusted'],
    ['without the intermediate authority', { chain: [inside] }, 'attestation_untrusted'],
    ['with authorities in another order', { chain: [inside, root, batch] }, 'attestation_untrusted'],
    [
      'with seven certificates',
      { chain: [...Array.from({ length: 6 }, () => inside), batch] },
      'attestation_untrusted',
    ],
    ['without certificates', {}, 'attestation_missing'],
    ['of the format none', { format: 'none' }, 'attestation_missing'],
    ['of another model', { aaguid: OTHER_MODEL, chain: [batch] }, 'authenticator_not_allowed'],
    ['without a model', { aaguid: '0'.repeat(32), format: 'none' }, 'authenticator_not_allowed'],
  ])('with allowed-aaguids, an attestation %s is rejected', async (_, parts, reason) => {
    expect(await judge(LIMITED, attestationObject(parts))).toEqual(rejected(reason));
  });

  it('an allowed model without metadata is rejected', async () => {
    const keys = { ...LIMITED, allowedAaguids: [OTHER_MODEL] };

    expect(await judge(keys, attestationObject({ aaguid: OTHER_MODEL, chain: [batch] }))).toEqual(
      rejected('attestation_untrusted'),
    );
  });

  it('a forged attestation of a described model is rejected without allowed-aaguids, too', async () => {
    expect(await judge(DIRECT, attestationObject({ chain: [forged] }))).toEqual(rejected('attestation_untrusted'));
  });

  it.each([
    ['after its own certificate', () => Buffer.concat([rawOf(forged), Buffer.from(`\n${batch.pem}`)])],
    ['in an extension of its own certificate', () => rawOf(makeCertificate({ extensions: extensionOf(batch.pem) }))],
    ['in place of the DER', () => Buffer.from(batch.pem)],
  ])('a certificate of the manufacturer that a client hides as PEM %s certifies nothing', async (_, bytes) => {
    const verdict = await judge(LIMITED, attestationObject({ x5c: [bytes()] }));

    expect(verdict.kind).toBe('rejected');
  });

  it('an attestation by an expired certificate is rejected', async () => {
    const clock = new ManualClock(new SystemClock().seconds() + 31 * 24 * 3600);

    expect(await judge(LIMITED, attestationObject({ chain: [batch] }), clock)).toEqual(
      rejected('attestation_untrusted'),
    );
  });

  it('a revoked model is rejected, whether or not it is attested', async () => {
    const entry = { metadataStatement: statementOf(root), statusReports: [{ status: 'REVOKED' }] };
    const keys = { ...DIRECT, metadataFile: metadataFile([entry]) };

    for (const parts of [{ chain: [batch] }, { format: 'none' }]) {
      expect(await judge(keys, attestationObject(parts))).toEqual(rejected('authenticator_distrusted'));
    }
  });

  describe('a U2F authenticator, which has no AAGUID', () => {
    const key = attestationObject({ format: 'fido-u2f', aaguid: NO_AAGUID, chain: [batch] });
    const described = {
      attestationCertificateKeyIdentifiers: [keyIdentifierOf(new X509Certificate(batch.pem))],
      description: 'U2F Key',
      attestationRootCertificates: [derOf(root)],
    };
    const withMetadata = (content: unknown): Keys => ({ ...DIRECT, metadataFile: metadataFile(content) });

    it('is named after the model of its certificate', async () => {
      expect(await judge(withMetadata([described]), key)).toEqual({ kind: 'accepted', name: 'U2F Key' });
    });

    it.each(['REVOKED', 'ATTESTATION_KEY_COMPROMISE'])('is rejected if its model is reported as %s', async (status) => {
      const keys = withMetadata([{ metadataStatement: described, statusReports: [{ status }] }]);

      expect(await judge(keys, key)).toEqual(rejected('authenticator_distrusted'));
    });

    it('is rejected if its certificate does not lead to a root of the model', async () => {
      const keys = withMetadata([{ ...described, attestationRootCertificates: [derOf(forged)] }]);

      expect(await judge(keys, key)).toEqual(rejected('attestation_untrusted'));
    });

    it('is accepted by another certificate, whose model the metadata do not describe', async () => {
      const bytes = attestationObject({ format: 'fido-u2f', aaguid: NO_AAGUID, chain: [inside] });

      expect(await judge(withMetadata([described]), bytes)).toEqual({ kind: 'accepted' });
    });

    it('is rejected with allowed-aaguids, also if it claims one of them', async () => {
      const keys = { ...withMetadata([described, statementOf(forged)]), allowedAaguids: [MODEL] };
      const claiming = attestationObject({ format: 'fido-u2f', aaguid: MODEL, chain: [batch] });

      expect(await judge(keys, key)).toEqual(rejected('authenticator_not_allowed'));
      expect(await judge(keys, claiming)).toEqual(rejected('attestation_untrusted'));
    });
  });

  it('no authenticator is accepted while the metadata cannot be read', async () => {
    const keys = { ...DIRECT, metadataFile: '/nowhere/blob.jwt' };

    expect(await judge(keys, attestationObject({ format: 'none' }))).toEqual(rejected('metadata_unusable'));
  });

  it('bytes that are no attestation object are rejected', async () => {
    const whole = attestationObject({ chain: [batch] });

    for (const bytes of [new Uint8Array(), new Uint8Array([0x9f, 0xff]), whole.slice(0, 100), new Uint8Array([0xa0])]) {
      expect(await judge(LIMITED, bytes)).toEqual(rejected('attestation_malformed'));
    }
  });
});
