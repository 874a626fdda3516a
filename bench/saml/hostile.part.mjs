// (c) Measures how long the slowest of some hostile documents of maximum size blocks the process.
import { Buffer } from 'node:buffer';
import { goal } from '../measure.mjs';
import { MAX_MESSAGE_LENGTH } from '../../dist/signin/saml/xml/document-allowlist.js';
import { assertionXml, attribute, IdentityProvider, makeKeyPair, responseXml } from './identity-provider.mjs';
import { ownVerification, PARTIES, REQUEST_ID } from './verification.mjs';

/** Number of bytes with a Base64 text of the maximum length of a message. */
const SIZE = (MAX_MESSAGE_LENGTH / 4) * 3 - 3;
const TRIES = 5;
const MOST_MILLIS = 1000;

export async function hostilePart({ folder }) {
  const idpKeys = makeKeyPair(folder, 'idp-of-nobody');
  const idp = new IdentityProvider(idpKeys);
  const verify = ownVerification(idpKeys);
  const honest = Buffer.from(
    idp.response({ ...PARTIES, inResponseTo: REQUEST_ID, person: 'ada' }),
    'base64',
  ).toString();
  let slowest = { millis: 0 };
  for (const [name, xml] of Object.entries(documentsFrom(honest))) {
    const base64 = Buffer.from(xml).toString('base64');
    let worst = 0;
    let answer;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const start = performance.now();
      answer = await verify(base64);
      worst = Math.max(worst, performance.now() - start);
    }
    if (typeof answer !== 'string') throw new Error(`${name} was accepted`);
    console.log(`  ${name.padEnd(48)} ${worst.toFixed(1).padStart(7)} ms  ${answer} (${base64.length} characters)`);
    if (worst > slowest.millis) slowest = { name, millis: worst };
  }
  const text = `slowest hostile document: ${slowest.name}, ${slowest.millis.toFixed(1)} ms, at most ${MOST_MILLIS} ms`;
  goal(text, slowest.millis <= MOST_MILLIS);
}

function documentsFrom(honest) {
  const facts = { ...PARTIES, inResponseTo: REQUEST_ID, person: 'ada' };
  const around = (inner) => responseXml(inner, facts);
  const signature = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(honest)[0];
  const id = /URI="#([^"]+)"/.exec(signature)[1];
  /** The signature of another assertion, in the only shape that reaches the library. */
  const shaped = (attributes) => {
    const assertion = assertionXml(facts, attributes).replace(/ID="[^"]+"/, `ID="${id}"`);
    return around(assertion.replace('</saml:Issuer>', `</saml:Issuer>${signature}`));
  };
  const valuesOf = (count) =>
    attribute(
      'urn:bench:groups',
      Array.from({ length: count }, (_, at) => `g${at}`),
    );
  const namespaces = Array.from({ length: 30 }, (_, at) => `xmlns:n${at}="urn:${at}"`).join(' ');
  const filled = (start, piece, end) => {
    const count = Math.floor((SIZE - start.length - end.length) / piece.length);
    return start + piece.repeat(Math.max(0, count)) + end;
  };
  const [open, close] = around('\u0000').split('\u0000');
  return {
    'unclosed tags': filled('', '<a>', ''),
    'nested tags': filled(open, '<a>', close),
    'elements side by side': filled(open, '<a/>', close),
    'one start tag of attributes': filled(`${open}<a`, ' b="c"', `/>${close}`),
    'blanks inside a tag': filled(`${open}<a`, ' ', `/>${close}`),
    'unclosed quotes': filled(`${open}<a b="`, 'x ', close),
    'character references': filled(`${open}<a>`, '&#38;', `</a>${close}`),
    ampersands: filled(`${open}<a>`, '&', `</a>${close}`),
    'endless text': filled(open, 'x', ''),
    'a DOCTYPE at the end': filled(open, 'x', '<!DOCTYPE a>'),
    'closing tags': filled(open, '</a>', close),
    'three kinds of line ends': filled(open, '\r\n\r\n\n', close),
    'a signature of something else, 1900 values': shaped(valuesOf(1900)),
    'the same with one long value': shaped(attribute('urn:bench:long', ['x'.repeat(SIZE - 8000)])),
    'the same with values of namespaces': shaped(
      Array.from({ length: 180 }, () => `<saml:AttributeValue ${namespaces}>x</saml:AttributeValue>`)
        .join('')
        .replace(/^/, '<saml:Attribute Name="urn:bench:spaces">')
        .concat('</saml:Attribute>'),
    ),
    'the same with attributes of namespaces': shaped(
      `<saml:Attribute Name="urn:bench:prefixes" ${namespaces}>` +
        `${'<saml:AttributeValue n1:a="x" n2:a="y" n3:a="z">x</saml:AttributeValue>'.repeat(1900)}</saml:Attribute>`,
    ),
    'the same with references to characters': shaped(
      attribute('urn:bench:references', ['&#38;'.repeat(Math.floor((SIZE - 8000) / 5))]),
    ),
  };
}
