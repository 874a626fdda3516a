import {
  attackersKey,
  type HostileResponse,
  changed,
  corp,
  forgedFrom,
  honestXml,
  piecesOf,
  rebuilt,
  rowsOf,
  saying,
} from './hostile-scene.js';
import { MFA_CLASS, part, replaced } from './saml-xml.js';

const SIGNATURE = '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">';
const PASSWORD_TRANSPORT = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';

/** Changes of signed content. */
const CHANGED_CONTENT = rowsOf('X1', [
  ['another name', 'signature', changed('>mallory<', '>admin<')],
  ['a name of fewer characters', 'signature', changed('>mallory<', '>mall<')],
  ['a name of more characters', 'signature', changed('>mallory<', '>mallory2<')],
  ['a name in other case', 'signature', changed('>mallory<', '>Mallory<')],
  ['an empty name', 'signature', changed('>mallory<', '><')],
  ['a space after the name', 'signature', changed('>mallory<', '>mallory <')],
  ['a name cut by a comment', 'markup', changed('>mallory<', '>mall<!-- -->ory<')],
  ['a comment around the end of a name', 'markup', changed('>mallory<', '>mall<!--ory--><')],
  ['a name in CDATA', 'markup', changed('>mallory<', '><![CDATA[mallory]]><')],
  ['a name before CDATA', 'markup', changed('>mallory<', '>admin<![CDATA[]]><')],
  ['a processing instruction in the name', 'markup', changed('>mallory<', '>mall<?x ?>ory<')],
  ['an element in the name', 'signature', changed('>mallory<', '>mall<x/>ory<')],
  ['a second name', 'signature', changed('<saml:NameID', '<saml:NameID>admin</saml:NameID><saml:NameID')],
  ['another format of the name', 'signature', changed('nameid-format:persistent', 'nameid-format:emailAddress')],
  ['a qualifier of the name', 'signature', changed('<saml:NameID', '<saml:NameID NameQualifier="x"')],
  ['a stronger class', 'signature', changed(PASSWORD_TRANSPORT, MFA_CLASS)],
  ['another group', 'signature', changed('>Staff<', '>Treasury<', { attributes: { 'urn:test:groups': 'Staff' } })],
  ['a later NotOnOrAfter', 'signature', changed(/NotOnOrAfter="20/, 'NotOnOrAfter="21')],
]);

/** The eight attacks of "On Breaking SAML: Be Whoever You Want to Be" (Somorovsky et al., 2012), and variants. */
const WRAPPINGS = rowsOf('X2', [
  [
    'XSW1, a forged response whose signature holds the honest one',
    'structure',
    (scene) => {
      const honest = honestXml(scene, { signed: 'both' });
      const signature = part(honest, 'ds:Signature');
      const holding = replaced(
        signature,
        '</ds:Signature>',
        `<ds:Object>${replaced(honest, signature, '')}</ds:Object></ds:Signature>`,
      );
      return replaced(replaced(forgedFrom(honest), signature, holding), '"_response"', '"_outer"');
    },
  ],
  [
    'XSW2, a forged response with the honest one before the signature',
    'structure',
    (scene) => {
      const honest = honestXml(scene, { signed: 'both' });
      const signature = part(honest, 'ds:Signature');
      const before = `${replaced(honest, signature, '')}${signature}`;
      return replaced(replaced(forgedFrom(honest), signature, before), '"_response"', '"_outer"');
    },
  ],
  [
    'XSW3, a forged assertion before the honest one',
    'structure',
    rebuilt(({ response, assertion, forged }) => replaced(response, assertion, forged + assertion)),
  ],
  [
    'a forged assertion after the honest one',
    'structure',
    rebuilt(({ response, assertion, forged }) => replaced(response, assertion, assertion + forged)),
  ],
  [
    'XSW4, a forged assertion around the honest one',
    'structure',
    rebuilt(({ response, assertion, forged }) =>
      replaced(response, assertion, replaced(forged, '</saml:Assertion>', `${assertion}</saml:Assertion>`)),
    ),
  ],
  [
    'XSW5, a forged assertion with the signature and the honest one at the end',
    'structure',
    rebuilt(({ response, assertion, signature, forged, bare }) =>
      replaced(response, assertion, replaced(forged, '</saml:Issuer>', `</saml:Issuer>${signature}`) + bare),
    ),
  ],
  [
    'XSW6, a forged assertion whose signature holds the honest one',
    'structure',
    rebuilt(({ response, assertion, signature, forged, bare }) => {
      const holding = replaced(signature, '</ds:Signature>', `${bare}</ds:Signature>`);
      return replaced(response, assertion, replaced(forged, '</saml:Issuer>', `</saml:Issuer>${holding}`));
    }),
  ],
  [
    'XSW7, a forged assertion in Extensions',
    'structure',
    rebuilt(({ response, forged }) =>
      replaced(response, '<samlp:Status>', `<samlp:Extensions>${forged}</samlp:Extensions><samlp:Status>`),
    ),
  ],
  [
    'XSW8, a forged assertion whose signature has the honest one in Object',
    'structure',
    rebuilt(({ response, assertion, signature, forged, bare }) => {
      const holding = replaced(signature, '</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`);
      return replaced(response, assertion, replaced(forged, '</saml:Issuer>', `</saml:Issuer>${holding}`));
    }),
  ],
  [
    'a forged assertion in Advice',
    'structure',
    rebuilt(({ response, forged }) =>
      replaced(response, '</saml:Conditions>', `</saml:Conditions><saml:Advice>${forged}</saml:Advice>`),
    ),
  ],
  [
    'a forged assertion in StatusDetail',
    'structure',
    rebuilt(({ response, forged }) =>
      replaced(response, '</samlp:Status>', `<samlp:StatusDetail>${forged}</samlp:StatusDetail></samlp:Status>`),
    ),
  ],
  [
    'a forged assertion that an honest one of the same ID follows',
    'structure',
    rebuilt(({ response, assertion, forged }) =>
      replaced(response, assertion, replaced(forged, '_forged', '_assertion') + assertion),
    ),
  ],
  [
    'the honest assertion in a list of them',
    'structure',
    rebuilt(({ response, assertion, forged }) =>
      replaced(response, assertion, `<samlp:Extensions>${assertion}</samlp:Extensions>${forged}`),
    ),
  ],
]);

const SIGNATURES = rowsOf('X3', [
  ['no signature', 'signature', saying({ signed: 'none' })],
  ['a stripped signature', 'signature', rebuilt(({ response, signature }) => replaced(response, signature, ''))],
  [
    'an empty signature',
    'structure',
    rebuilt(({ response, signature }) => replaced(response, signature, `${SIGNATURE}</ds:Signature>`)),
  ],
  [
    'an empty SignedInfo',
    'structure',
    rebuilt(({ response, signature }) =>
      replaced(response, part(signature, 'ds:SignedInfo'), '<ds:SignedInfo></ds:SignedInfo>'),
    ),
  ],
  ['an empty SignatureValue', 'structure', changed(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>')],
  ['another SignatureValue', 'signature', changed(/<ds:SignatureValue>.{8}/, '<ds:SignatureValue>AAAAAAAA')],
  ['another DigestValue', 'signature', changed(/<ds:DigestValue>.{8}/, '<ds:DigestValue>AAAAAAAA')],
  ['no SignatureValue', 'structure', changed(/<ds:SignatureValue>.*?<\/ds:SignatureValue>/s, '')],
  ['a signed response around an assertion without a signature', 'signature', saying({ signed: 'response' })],
  [
    'a wrong signature of the response around a correct one of the assertion',
    'signature',
    changed('<samlp:StatusCode', '<samlp:StatusCode x="y"', { signed: 'both' }),
  ],
  [
    'a signature of the response in the assertion',
    'structure',
    (scene) => {
      const honest = honestXml(scene, { signed: 'response' });
      const signature = part(honest, 'ds:Signature');
      return replaced(
        replaced(honest, signature, ''),
        /(<saml:Assertion.*?<\/saml:Issuer>)/s,
        part(honest, 'saml:Assertion').replace(/<\/saml:Issuer>.*/s, `</saml:Issuer>${signature}`),
      );
    },
  ],
  [
    'a signature of the assertion in the response',
    'structure',
    rebuilt(({ response, signature }) =>
      replaced(replaced(response, signature, ''), '<samlp:Status>', `${signature}<samlp:Status>`),
    ),
  ],
  [
    'a signature of another assertion',
    'signature',
    (scene) => {
      const other = piecesOf(
        honestXml(scene, { nameId: 'somebody', assertionId: '_assertion' }).replaceAll('somebody', 'mallory'),
      );
      const { response, signature } = piecesOf(honestXml(scene));
      return replaced(response, signature, other.signature);
    },
  ],
  ['a signature with an empty reference', 'structure', changed('URI="#_assertion"', 'URI=""')],
  ['a signature with an XPointer as reference', 'structure', changed('URI="#_assertion"', 'URI="#xpointer(/)"')],
  [
    'a signature with an external reference',
    'structure',
    (scene) => replaced(honestXml(scene), 'URI="#_assertion"', `URI="${scene.lure}"`),
  ],
  ['a signature without a reference', 'structure', changed(' URI="#_assertion"', '')],
  [
    'two signatures',
    'structure',
    rebuilt(({ response, signature }) => replaced(response, signature, signature + signature)),
  ],
  [
    'a second signature with a forged Object',
    'structure',
    rebuilt(({ response, signature, forged }) =>
      replaced(
        response,
        signature,
        signature + replaced(signature, '</ds:Signature>', `<ds:Object>${forged}</ds:Object></ds:Signature>`),
      ),
    ),
  ],
  ['an Object in the signature', 'structure', changed('</ds:Signature>', '<ds:Object>x</ds:Object></ds:Signature>')],
  [
    'a signature in another namespace',
    'structure',
    changed(SIGNATURE, '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig">'),
  ],
  [
    'a signature deeper inside',
    'structure',
    rebuilt(({ response, signature }) =>
      replaced(replaced(response, signature, ''), '</saml:Subject>', `${signature}</saml:Subject>`),
    ),
  ],
]);

const SIGNED_INFO = rowsOf('X4', [
  [
    'two SignedInfo',
    'structure',
    rebuilt(({ response, signature }) => {
      const info = part(signature, 'ds:SignedInfo');
      return replaced(response, info, info + info);
    }),
  ],
  [
    'a forged SignedInfo before the honest one',
    'structure',
    rebuilt(({ response, signature }) => {
      const info = part(signature, 'ds:SignedInfo');
      return replaced(response, info, replaced(info, /<ds:DigestValue>.{8}/, '<ds:DigestValue>AAAAAAAA') + info);
    }),
  ],
  [
    'a SignedInfo in another element',
    'structure',
    rebuilt(({ response, signature }) => {
      const info = part(signature, 'ds:SignedInfo');
      return replaced(response, info, `<ds:x>${info}</ds:x>${info}`);
    }),
  ],
  ['a comment in DigestValue', 'markup', changed('<ds:DigestValue>', '<ds:DigestValue><!--AAAA-->')],
  ['a comment in SignatureValue', 'markup', changed('<ds:SignatureValue>', '<ds:SignatureValue><!--AAAA-->')],
  ['a comment in SignedInfo', 'markup', changed('<ds:SignedInfo>', '<ds:SignedInfo><!-- -->')],
  ['an element in DigestValue', 'structure', changed('<ds:DigestValue>', '<ds:DigestValue><x/>')],
  [
    'two DigestValue',
    'structure',
    changed('<ds:DigestValue>', '<ds:DigestValue>AAAA</ds:DigestValue><ds:DigestValue>'),
  ],
  ['two DigestMethod', 'structure', rebuilt(({ response }) => response.replace(/<ds:DigestMethod[^>]*\/>/, '$&$&'))],
  [
    'two References',
    'structure',
    rebuilt(({ response, signature }) => {
      const reference = part(signature, 'ds:Reference');
      return replaced(response, reference, reference + reference);
    }),
  ],
  [
    'a second Reference to a forged element',
    'structure',
    rebuilt(({ response, signature }) => {
      const reference = part(signature, 'ds:Reference');
      return replaced(response, reference, replaced(reference, '_assertion', '_forged') + reference);
    }),
  ],
  [
    'two SignatureMethod',
    'structure',
    rebuilt(({ response }) => response.replace(/<ds:SignatureMethod[^>]*\/>/, '$&$&')),
  ],
]);

const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

const KEYS_AND_ALGORITHMS = rowsOf('X5', [
  [
    'a key of the attacker, with its certificate in KeyInfo',
    'signature',
    (scene) => honestXml(scene, { signature: { keyPair: attackersKey() } }),
  ],
  [
    'a key of the attacker, with the certificate of the identity provider',
    'signature',
    (scene) => honestXml(scene, { signature: { keyPair: attackersKey(), keyInfo: corp(scene).certificate } }),
  ],
  [
    'a key of the attacker, without KeyInfo',
    'signature',
    (scene) => honestXml(scene, { signature: { keyPair: attackersKey(), keyInfo: null } }),
  ],
  [
    'the key of another identity provider',
    'signature',
    (scene) => honestXml(scene, { signature: { keyPair: scene.staff.idp('other').keyPair } }),
  ],
  ['an HMAC keyed with the certificate', 'algorithm', saying({ signature: { algorithm: 'hmac-sha1' } })],
  ['RSA with SHA-1', 'algorithm', saying({ signature: { algorithm: 'rsa-sha1' } })],
  ['a digest of SHA-1', 'algorithm', saying({ signature: { digest: 'sha1' } })],
  ['inclusive canonicalization', 'algorithm', saying({ signature: { canonicalization: 'inclusive' } })],
  [
    'canonicalization with comments',
    'algorithm',
    saying({ signature: { canonicalization: 'exclusive-with-comments' } }),
  ],
  [
    'an algorithm changed to HMAC after signing',
    'algorithm',
    changed('xmldsig-more#rsa-sha256', 'xmldsig-more#hmac-sha256'),
  ],
  [
    'an algorithm changed to DSA after signing',
    'algorithm',
    changed('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2009/xmldsig11#dsa-sha256'),
  ],
  [
    'constructor as the algorithm',
    'algorithm',
    changed('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'constructor'),
  ],
  ['no algorithm', 'algorithm', changed(/<ds:SignatureMethod[^>]*\/>/, '<ds:SignatureMethod/>')],
  [
    'an element named constructor in CanonicalizationMethod',
    'algorithm',
    changed(
      /<ds:CanonicalizationMethod[^>]*\/>/,
      '<ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ds:constructor/></ds:CanonicalizationMethod>',
    ),
  ],
  [
    'a second algorithm in a namespace',
    'algorithm',
    changed(
      '<ds:SignatureMethod',
      '<ds:SignatureMethod xmlns:x="urn:x" x:Algorithm="http://www.w3.org/2000/09/xmldsig#hmac-sha1"',
    ),
  ],
  ['an algorithm changed to SHA-512 after signing', 'signature', changed('#rsa-sha256', '#rsa-sha512')],
  [
    'an assertion encrypted with RSA PKCS #1 v1.5',
    'algorithm',
    (scene) => honestXml(scene, { encryptFor: scene.certificate, encryption: { key: 'rsa-1_5' } }),
  ],
  [
    'an assertion encrypted with AES-CBC in an unsigned response',
    'unsigned_cbc',
    (scene) => honestXml(scene, { encryptFor: scene.certificate, encryption: { content: 'aes256-cbc' } }),
  ],
]);

/** Comments added before signing: canonicalization removes them, and a parser might truncate the text there. */
const SIGNED_COMMENTS = rowsOf('X6', [
  [
    'a comment in NameID',
    'markup',
    saying({ nameId: 'admin.evil', bendAssertion: (xml) => replaced(xml, 'admin.evil', 'admin<!-- -->.evil') }),
  ],
  [
    'a comment before NameID',
    'markup',
    saying({ bendAssertion: (xml) => replaced(xml, '<saml:NameID', '<!-- --><saml:NameID') }),
  ],
  [
    'CDATA in NameID',
    'markup',
    saying({ nameId: 'admin.evil', bendAssertion: (xml) => replaced(xml, 'admin.evil', 'admin<![CDATA[.evil]]>') }),
  ],
  [
    'a comment added after signing',
    'markup',
    changed('>admin.evil<', '>admin<!-- -->.evil<', { nameId: 'admin.evil' }),
  ],
  ['a comment in the class', 'markup', changed(PASSWORD_TRANSPORT, `${PASSWORD_TRANSPORT}<!-- -->`)],
  ['a comment in the audience', 'markup', changed('<saml:Audience>', '<saml:Audience><!-- -->')],
]);

const TRANSFORM = (uri: string) => `<ds:Transform Algorithm="${uri}"/>`;
const XSLT = 'http://www.w3.org/TR/1999/REC-xslt-19991116';
const XPATH = 'http://www.w3.org/TR/1999/REC-xpath-19991116';
const BASE64 = 'http://www.w3.org/2000/09/xmldsig#base64';

const TRANSFORMS = rowsOf('X12', [
  ['a third transform', 'algorithm', changed(TRANSFORM(EXCLUSIVE), TRANSFORM(EXCLUSIVE) + TRANSFORM(EXCLUSIVE))],
  ['a hundred transforms', 'algorithm', changed(TRANSFORM(EXCLUSIVE), TRANSFORM(EXCLUSIVE).repeat(100))],
  [
    'the two usual transforms in reverse order',
    'algorithm',
    changed(TRANSFORM(ENVELOPED) + TRANSFORM(EXCLUSIVE), TRANSFORM(EXCLUSIVE) + TRANSFORM(ENVELOPED)),
  ],
  ['no canonicalization', 'algorithm', changed(TRANSFORM(EXCLUSIVE), '')],
  ['no transforms', 'structure', changed(/<ds:Transforms>.*<\/ds:Transforms>/s, '')],
  ['XSLT', 'algorithm', changed(TRANSFORM(EXCLUSIVE), TRANSFORM(XSLT))],
  [
    'XSLT with a style sheet',
    'structure',
    (scene) =>
      replaced(
        honestXml(scene),
        TRANSFORM(ENVELOPED),
        `<ds:Transform Algorithm="${XSLT}"><xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><xsl:copy-of select="document('${scene.lure}')"/></xsl:template></xsl:stylesheet></ds:Transform>`,
      ),
  ],
  ['XPath', 'algorithm', changed(TRANSFORM(ENVELOPED), TRANSFORM(XPATH))],
  [
    'XPath with an expression',
    'structure',
    changed(
      TRANSFORM(ENVELOPED),
      `<ds:Transform Algorithm="${XPATH}"><ds:XPath>count(//. | //@* | //namespace::*)</ds:XPath></ds:Transform>`,
    ),
  ],
  [
    'an expression in a usual transform',
    'structure',
    changed(
      TRANSFORM(ENVELOPED),
      `<ds:Transform Algorithm="${ENVELOPED}"><ds:XPath>not(self::*)</ds:XPath></ds:Transform>`,
    ),
  ],
  ['base64', 'algorithm', changed(TRANSFORM(EXCLUSIVE), TRANSFORM(BASE64))],
  [
    'a long list of prefixes',
    'algorithm',
    changed(
      TRANSFORM(EXCLUSIVE),
      `<ds:Transform Algorithm="${EXCLUSIVE}"><InclusiveNamespaces xmlns="${EXCLUSIVE}" PrefixList="${'x '.repeat(20_000)}"/></ds:Transform>`,
    ),
  ],
  [
    'two lists of prefixes',
    'algorithm',
    changed(
      TRANSFORM(EXCLUSIVE),
      `<ds:Transform Algorithm="${EXCLUSIVE}">${`<InclusiveNamespaces xmlns="${EXCLUSIVE}" PrefixList="x"/>`.repeat(2)}</ds:Transform>`,
    ),
  ],
]);

/** X1 to X6 and X12: coverage, form, keys, algorithms and transforms of a signature. */
export const HOSTILE_SIGNATURES: readonly HostileResponse[] = [
  ...CHANGED_CONTENT,
  ...WRAPPINGS,
  ...SIGNATURES,
  ...SIGNED_INFO,
  ...KEYS_AND_ALGORITHMS,
  ...SIGNED_COMMENTS,
  ...TRANSFORMS,
];
