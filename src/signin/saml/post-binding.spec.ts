import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider, makeKeyPair } from '../../../test/support/saml/identity-provider.js';
import type { LogoutRequestOptions } from '../../../test/support/saml/saml-logout.js';
import { encoded } from '../../../test/support/saml/saml-messages.js';
import { isRootSignedBy } from '../../../test/support/saml/saml-signature.js';
import type { KeyPair } from '../../../test/support/saml/saml-xml.js';
import { readDocument } from './xml/document-allowlist.js';
import { logoutResponseXml } from './logout/logout-xml.js';
import { readPost, signForPost } from './post-binding.js';

let idp: IdentityProvider;
let otherKey: KeyPair;

beforeAll(() => {
  idp = IdentityProvider.make();
  otherKey = makeKeyPair('other.test');
});

function posted(bent: Partial<LogoutRequestOptions> = {}): string {
  return idp.logoutRequest({ url: 'https://login.test/slo', binding: 'post', nameId: 'ada', ...bent }).xml;
}

function read(xml: string, certificates = [idp.certificate]) {
  return readPost(encoded(xml), 'LogoutRequest', certificates);
}

describe('readPost', () => {
  it('returns the signed text without the signature, also for the second certificate', async () => {
    const xml = posted();

    const found = await read(xml);

    expect(found).toEqual({ xml: expect.stringContaining('>ada</saml:NameID>') as string });
    expect(JSON.stringify(found)).not.toContain('Signature');
    expect(await read(xml, [otherKey.certificate, idp.certificate])).toEqual(found);
  });

  it.each([
    ['signature', 'unsigned', () => posted({ isSigned: false })],
    ['signature', 'changed', () => posted().replace('>ada<', '>eve<')],
    ['signature', 'signed with another key', () => posted({ signature: { keyPair: otherKey } })],
    [
      'signature',
      'signed with another key, with the known certificate in KeyInfo',
      () => {
        return posted({ signature: { keyPair: otherKey, keyInfo: idp.certificate } });
      },
    ],
    ['algorithm', 'signed with SHA-1', () => posted({ signature: { algorithm: 'rsa-sha1' } })],
    ['algorithm', 'with a SHA-1 digest', () => posted({ signature: { digest: 'sha1' } })],
    ['algorithm', 'signed with HMAC', () => posted({ signature: { algorithm: 'hmac-sha1' } })],
    ['structure', 'with another root', () => posted().replaceAll('LogoutRequest', 'LogoutResponse')],
    [
      'structure',
      'with a second NameID',
      () =>
        posted().replace(
          '<saml:NameID',
          '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">eve</saml:NameID><saml:NameID',
        ),
    ],
    ['structure', 'with the signature of another ID', () => posted().replace(/ ID="[^"]*"/, ' ID="_other"')],
    [
      'structure',
      'unsigned around a signed one',
      () => {
        const inner = posted();
        return `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_x">${inner}</samlp:LogoutRequest>`;
      },
    ],
    ['markup', 'with a comment', () => posted().replace('>ada<', '>ada<!-- x --><')],
    ['doctype', 'with a DOCTYPE', () => `<!DOCTYPE x>${posted()}`],
  ])('X17: rejects as %s a message %s', async (reason, _, xml) => {
    expect(await read(xml())).toBe(reason);
  });

  it('rejects text that is not base64', async () => {
    expect(await readPost('<xml/>', 'LogoutRequest', [idp.certificate])).toBe('malformed');
  });
});

it('signForPost signs the root of a message that the allowlist accepts', async () => {
  const own = makeKeyPair('login.test');
  const head = { id: '_ours', issuer: 'sp', destination: 'https://idp.test/slo', now: 1_800_000_000_000 };

  const base64 = await signForPost(logoutResponseXml(head, '_request'), own);

  const xml = Buffer.from(base64, 'base64').toString();
  expect(isRootSignedBy(xml, own.certificate)).toBe(true);
  expect(isRootSignedBy(xml, otherKey.certificate)).toBe(false);
  expect(readDocument(xml, 'LogoutResponse')).toMatchObject({ name: 'LogoutResponse' });
});
