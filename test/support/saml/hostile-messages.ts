import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  ATTACKER,
  attackersKey,
  changed,
  corp,
  type HostileResponse,
  honestXml,
  rebuilt,
  rowsOf,
  saying,
  type Scene,
} from './hostile-scene.js';
import { encoded } from './saml-messages.js';
import type { ResponseOptions } from './saml-response.js';
import { part, replaced } from './saml-xml.js';

function encrypting(
  bend: (assertion: string, scene: Scene) => string,
  more: Partial<ResponseOptions> = {},
): HostileResponse['bend'] {
  return (scene) =>
    honestXml(scene, { encryptFor: scene.certificate, ...more, bendAssertion: (xml) => bend(xml, scene) });
}

/** Encrypts an assertion after it was signed and altered. */
function encryptingSigned(bend: (signed: string, scene: Scene) => string): HostileResponse['bend'] {
  return encrypting((xml, scene) => bend(corp(scene).sign(xml), scene), { signed: 'none' });
}

function packed(pack: (xml: string) => Buffer): HostileResponse['bend'] {
  return (scene) => ({
    form: { ...scene.staff.posted('', scene.request), SAMLResponse: pack(honestXml(scene)).toString('base64') },
  });
}

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';

/** A genuine response whose EncryptedKey is beside the EncryptedData, altered in one place. */
function besideKey(from: string | RegExp, to: (scene: Scene, found: string) => string): HostileResponse['bend'] {
  return (scene) => {
    const xml = honestXml(scene, { encryptFor: scene.certificate, encryption: { keyPlacement: 'beside' } });
    const [found = ''] = typeof from === 'string' ? [from] : (from.exec(xml) ?? []);
    return replaced(xml, from, to(scene, found));
  };
}

const KEY_BESIDE = /<xenc:EncryptedKey .*<\/xenc:EncryptedKey>/s;

/** M1: encrypted keys beside the encrypted data, and references that lead elsewhere. */
export const HOSTILE_KEYS = rowsOf('M1', [
  ['a key reference to another host', 'structure', besideKey('"#_key"', ({ lure }) => `"${lure}#_key"`)],
  ['a key reference to another element', 'structure', besideKey('"#_key"', () => '"#_assertion"')],
  ['a key reference to the whole document', 'structure', besideKey('"#_key"', () => '""')],
  [
    'a key reference with a transform',
    'structure',
    besideKey(
      /(?<=<ds:RetrievalMethod [^>]*)\/>/,
      ({ lure }) =>
        `><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><x href="${lure}"/>` +
        '</ds:Transform></ds:Transforms></ds:RetrievalMethod>',
    ),
  ],
  ['two keys beside the data', 'structure', besideKey(KEY_BESIDE, (_, key) => key + key.replace('"_key"', '"_key2"'))],
  ['two keys with one Id', 'structure', besideKey(KEY_BESIDE, (_, key) => key + key)],
  [
    'a key inside the data too',
    'structure',
    besideKey(/<ds:RetrievalMethod [^>]*>/, (_, found) => `${found}<xenc:EncryptedKey/>`),
  ],
  ['a key inside another element', 'structure', besideKey(KEY_BESIDE, (_, key) => `<saml:Advice>${key}</saml:Advice>`)],
  ['a key for other data', 'structure', besideKey('"#_data"', () => '"#_assertion"')],
]);

/** X17: other messages, error responses, and encrypted or compressed content. */
export const HOSTILE_MESSAGES = rowsOf('X17', [
  ['a failure with an assertion', 'status', changed(`${STATUS}Success`, `${STATUS}Responder`)],
  [
    'a success status inside a failure status',
    'status',
    changed(
      /<samlp:StatusCode [^>]*>(?=<\/samlp:StatusCode>)?/,
      `<samlp:StatusCode Value="${STATUS}Responder"><samlp:StatusCode Value="${STATUS}Success"/>`,
    ),
  ],
  ['a genuine error response', 'status', saying({ status: `${STATUS}Responder`, subStatus: `${STATUS}AuthnFailed` })],
  ['a status in other case', 'status', changed(`${STATUS}Success`, `${STATUS}SUCCESS`)],
  [
    'a success without an assertion',
    'signature',
    rebuilt(({ response, assertion }) => replaced(response, assertion, '')),
  ],
  ['no status', 'structure', changed(/<samlp:Status>.*<\/samlp:Status>/s, '')],
  [
    'two status codes',
    'structure',
    changed('</samlp:Status>', `<samlp:StatusCode Value="${STATUS}Success"/></samlp:Status>`),
  ],
  ['a forged assertion that is encrypted', 'signature', encrypting((xml) => xml, { signed: 'none' })],
  [
    'an encrypted assertion signed by another key',
    'signature',
    (scene) => honestXml(scene, { encryptFor: scene.certificate, signature: { keyPair: attackersKey() } }),
  ],
  [
    'an encrypted assertion that was changed',
    'signature',
    encryptingSigned((signed) => replaced(signed, '>mallory<', '>admin<')),
  ],
  [
    'a forged assertion around an honest one, encrypted',
    'structure',
    encryptingSigned((signed) =>
      replaced(replaced(signed, '_assertion"', '_forged"'), '</saml:Assertion>', `${signed}</saml:Assertion>`),
    ),
  ],
  [
    'a comment in an encrypted name',
    'markup',
    encryptingSigned((signed) => replaced(signed, '>mallory<', '>mall<!-- -->ory<')),
  ],
  [
    'an encrypted bomb',
    'doctype',
    encryptingSigned((signed, { lure }) => `<!DOCTYPE r [<!ENTITY a SYSTEM "${lure}">]>${signed}`),
  ],
  ['180 KB of encrypted tags', 'too_deep', encryptingSigned(() => '<a>'.repeat(30_000))],
  ['two encrypted roots', 'structure', encryptingSigned((signed) => signed + signed)],
  ['an encrypted response', 'structure', encryptingSigned((_, scene) => honestXml(scene))],
  [
    'an assertion encrypted for another recipient',
    'decryption',
    (scene) => honestXml(scene, { encryptFor: scene.staff.idp('other').certificate }),
  ],
  [
    'a changed cipher text',
    'decryption',
    (scene) =>
      honestXml(scene, { encryptFor: scene.certificate }).replace(
        /(<xenc:CipherValue>.{40}).{4}(?![\s\S]*<xenc:CipherValue>)/,
        '$1AAAA',
      ),
  ],
  [
    'no cipher text',
    'decryption',
    (scene) =>
      honestXml(scene, { encryptFor: scene.certificate }).replace(
        /<xenc:CipherValue>[^<]*(?![\s\S]*<xenc:CipherValue>)/,
        '<xenc:CipherValue>',
      ),
  ],
  [
    'an encrypted assertion after a forged one',
    'structure',
    rebuiltEncrypted((encrypted, forged) => forged + encrypted),
  ],
  ['an encrypted assertion twice', 'structure', rebuiltEncrypted((encrypted) => encrypted + encrypted)],
  [
    'a key by external reference',
    'structure',
    (scene) =>
      replaced(
        honestXml(scene, { encryptFor: scene.certificate }),
        '<xenc:EncryptedKey>',
        `<ds:RetrievalMethod URI="${scene.lure}"/><xenc:EncryptedKey>`,
      ),
  ],
  [
    'a cipher text by external reference',
    'structure',
    (scene) =>
      replaced(
        honestXml(scene, { encryptFor: scene.certificate }),
        /<xenc:CipherData><xenc:CipherValue>[^<]*<\/xenc:CipherValue><\/xenc:CipherData>(?=<\/xenc:EncryptedData>)/,
        `<xenc:CipherData><xenc:CipherReference URI="${scene.lure}"/></xenc:CipherData>`,
      ),
  ],
  ['gzip', 'malformed', packed((xml) => gzipSync(xml))],
  ['deflate', 'malformed', packed((xml) => deflateSync(xml))],
  ['raw deflate as in HTTP-Redirect', 'malformed', packed((xml) => deflateRawSync(xml))],
  [
    'a LogoutRequest',
    'structure',
    (scene) => corp(scene).logoutRequest({ url: scene.request.acsUrl ?? '', binding: 'post', nameId: ATTACKER }).xml,
  ],
  [
    'a LogoutResponse',
    'structure',
    (scene) =>
      corp(scene).logoutResponse({
        url: scene.request.acsUrl ?? '',
        binding: 'post',
        inResponseTo: scene.request.id ?? null,
      }).xml,
  ],
  ['an assertion alone', 'structure', rebuilt(({ assertion }) => assertion)],
  ['the AuthnRequest of the service', 'structure', (scene) => scene.request.xml],
  [
    'SAMLRequest in place of SAMLResponse',
    'malformed',
    (scene) => ({ form: { SAMLRequest: encoded(honestXml(scene)), RelayState: scene.request.relayState ?? '' } }),
  ],
  [
    'an empty SAMLResponse',
    'malformed',
    (scene) => ({ form: { SAMLResponse: '', RelayState: scene.request.relayState ?? '' } }),
  ],
  [
    'an artifact',
    'malformed',
    (scene) => ({ form: { SAMLart: 'AAQAAM', RelayState: scene.request.relayState ?? '' } }),
  ],
]);

function rebuiltEncrypted(build: (encrypted: string, forged: string) => string): HostileResponse['bend'] {
  return (scene) => {
    const honest = honestXml(scene, { encryptFor: scene.certificate });
    const encrypted = part(honest, 'saml:EncryptedAssertion');
    const forged = corp(scene).assertion(scene.staff.honest(scene.request, { signed: 'none', nameId: 'admin' }));
    return replaced(honest, encrypted, build(encrypted, forged));
  };
}
