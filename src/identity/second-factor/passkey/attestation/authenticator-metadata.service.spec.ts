import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  blobOf,
  metadataFile,
  metadataSigner,
  MODEL,
  statementOf,
} from '../../../../../test/support/passkey/authenticator-metadata.js';
import { makeCertificate } from '../../../../../test/support/http/certificates.js';
import { CollectedLog } from '../../../../../test/support/programs/collected-log.js';
import { ManualClock } from '../../../../../test/support/programs/manual-clock.js';
import { SystemClock } from '../../../../kernel/clock/clock.js';
import { AuthenticatorMetadata } from './authenticator-metadata.service.js';
import { PasskeyProperties } from '../passkey.properties.js';

const DAY = 24 * 3600;
// A little later, because certificates are made in the meantime.
const NOW = new SystemClock().seconds() + 60;
const { root, signer } = metadataSigner();
const manufacturer = makeCertificate({ name: 'manufacturer.test' });
const statement = statementOf(manufacturer);

interface Opened {
  readonly service: AuthenticatorMetadata;
  readonly clock: ManualClock;
  readonly log: CollectedLog;
}

function open(metadata: string | undefined, isPrivate = true): Opened {
  const [clock, log] = [new ManualClock(NOW), new CollectedLog()];
  const keys = { metadataFile: metadata, metadataRoot: isPrivate ? root.certificate : undefined };
  const passkeys = Object.assign(new PasskeyProperties(), keys);
  return { service: new AuthenticatorMetadata(passkeys, clock, log.loggers), clock, log };
}

function read(content: unknown): ReturnType<AuthenticatorMetadata['statementOf']> {
  return open(metadataFile(content)).service.statementOf(MODEL);
}

describe('the metadata of authenticators', () => {
  it('no model is known without a file', async () => {
    expect(await open(undefined).service.statementOf(MODEL)).toBeUndefined();
  });

  it('a BLOB that a certificate of the root signed describes its models', async () => {
    const { service } = open(metadataFile(await blobOf({ statement, signers: [signer] })));

    expect(await service.statementOf(MODEL.toUpperCase())).toEqual({
      description: 'Key of the Tests',
      roots: statement['attestationRootCertificates'],
      distrust: undefined,
    });
    expect(await service.statementOf('00000000-0000-0000-0000-000000000001')).toBeUndefined();
  });

  it.each([
    ['an array of statements', [statement]],
    ['one statement', statement],
    ['entries of a BLOB', [{ metadataStatement: statement, statusReports: [{ status: 'FIDO_CERTIFIED' }] }]],
  ])('JSON with %s describes its models', async (_, content) => {
    expect(await read(content)).toMatchObject({ description: 'Key of the Tests', distrust: undefined });
  });

  it.each([
    'REVOKED',
    'USER_VERIFICATION_BYPASS',
    'ATTESTATION_KEY_COMPROMISE',
    'USER_KEY_REMOTE_COMPROMISE',
    'USER_KEY_PHYSICAL_COMPROMISE',
  ])('a model with the status %s is distrusted', async (status) => {
    expect(await read(await blobOf({ statement, status, signers: [signer] }))).toMatchObject({ distrust: status });
  });

  it('a model whose firmware has an update is not distrusted', async () => {
    const blob = await blobOf({ statement, status: 'UPDATE_AVAILABLE', signers: [signer] });

    expect(await read(blob)).toMatchObject({ distrust: undefined });
  });

  it('an intermediate authority in the header leads to the root', async () => {
    const leaf = makeCertificate({ name: 'leaf.test', signedBy: signer });

    expect(await read(await blobOf({ statement, signers: [leaf, signer] }))).toBeDefined();
    await expect(read(await blobOf({ statement, signers: [leaf] }))).rejects.toThrow('not certified by a trusted root');
  });

  it.each([
    ['a BLOB of another root', () => blobOf({ statement, signers: [makeCertificate()] }), 'not certified by a trusted'],
    [
      'a BLOB with a certificate of the root that did not sign it',
      async () => {
        const [, payload, signature] = (await blobOf({ statement, signers: [makeCertificate()] })).split('.');
        const [header] = (await blobOf({ statement, signers: [signer] })).split('.');
        return [header, payload, signature].join('.');
      },
      'its signature is wrong',
    ],
    [
      'a changed BLOB',
      async () => {
        const blob = await blobOf({ statement, signers: [signer] });
        const [header, , signature] = blob.split('.');
        const [, payload] = (await blobOf({ statement, status: 'REVOKED', signers: [signer] })).split('.');
        return [header, payload, signature].join('.');
      },
      'its signature is wrong',
    ],
    ['a BLOB without a date', () => blobOf({ statement, nextUpdate: 'soon', signers: [signer] }), 'is not a date'],
    ['a web page', () => '<html></html>', 'neither the BLOB'],
    ['an empty file', () => ' ', 'neither the BLOB'],
    ['half of a JSON text', () => '[{"aaguid":', 'it is not JSON'],
    ['other JSON', () => '{"keys":[]}', 'its members are not those'],
  ])('%s cannot be used', async (_, content, reason) => {
    await expect(read(await content())).rejects.toThrow(reason);
  });

  it('a private BLOB cannot be used without its root, since the roots of FIDO did not certify its signer', async () => {
    const { service } = open(metadataFile(await blobOf({ statement, signers: [signer] })), false);

    await expect(service.statementOf(MODEL)).rejects.toThrow('not certified by a trusted root');
  });

  it('a missing file cannot be used', async () => {
    await expect(open('/nowhere/blob.jwt').service.statementOf(MODEL)).rejects.toThrow('it cannot be read (ENOENT)');
  });

  it('a BLOB is outdated after the day of its next update, stays in use, and is reported once', async () => {
    const nextUpdate = new Date((NOW - 2 * DAY) * 1000).toISOString().slice(0, 10);
    const { service, log } = open(metadataFile(await blobOf({ statement, nextUpdate, signers: [signer] })));
    // Each signer of the tests is valid from now on, so an earlier date cannot be genuine.
    await expect(service.statementOf(MODEL)).rejects.toThrow('not certified by a trusted root');

    const tomorrow = new Date((NOW + DAY) * 1000).toISOString().slice(0, 10);
    const later = open(metadataFile(await blobOf({ statement, nextUpdate: tomorrow, signers: [signer] })));
    await later.service.statementOf(MODEL);
    expect(later.log.messages).toEqual([]);
    // The certificate of the signer has expired by then, too.
    later.clock.advance(400 * DAY);
    await later.service.statementOf(MODEL);
    expect(await later.service.statementOf(MODEL)).toBeDefined();
    expect(later.log.messages).toEqual(['WARN The metadata of authenticators are outdated']);
    expect(log.messages).toEqual(['WARN The metadata of authenticators cannot be used']);
  });

  it('a replaced file is read, and an unusable one leaves the metadata before it in use', async () => {
    const file = metadataFile([statement]);
    const { service, log } = open(file);
    expect(await service.statementOf(MODEL)).toMatchObject({ description: 'Key of the Tests' });

    renameSync(metadataFile([{ ...statement, description: 'Another name' }]), file);
    expect(await service.statementOf(MODEL)).toMatchObject({ description: 'Another name' });

    renameSync(metadataFile('<html></html>'), file);
    expect(await service.statementOf(MODEL)).toMatchObject({ description: 'Another name' });
    await service.statementOf(MODEL);
    expect(log.messages).toEqual(['WARN The metadata of authenticators cannot be used']);
  });
});
