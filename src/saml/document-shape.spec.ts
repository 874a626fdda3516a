import { expect, it } from 'vitest';
import { decodedMessage, readDocument } from './document-shape.js';

const RESPONSE =
  '<p:Response xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r"><p:Status><p:StatusCode Value="x"/></p:Status></p:Response>';

it('reads a response', () => {
  expect(readDocument(RESPONSE)).toMatchObject({ name: 'Response', children: [{ name: 'Status' }] });
});

it('takes base64 with line breaks', () => {
  const base64 = Buffer.from(RESPONSE).toString('base64');

  expect(decodedMessage(`${base64.slice(0, 76)}\r\n${base64.slice(76)}\r\n`)).toBe(RESPONSE);
});
