import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider } from '../../../test/support/identity-provider.js';
import type { ResponseOptions } from '../../../test/support/saml-response.js';
import { readDocument } from '../xml/document-allowlist.js';
import { isRejection } from './rejection.js';
import { readResponse } from './response.js';

const ACS_URL = 'https://login.test/saml/staff/acs';
const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';
const ANSWER: ResponseOptions = { acsUrl: ACS_URL, audience: 'a', inResponseTo: '_request', id: '_response' };

describe('reading a response', () => {
  let idp: IdentityProvider;
  let honest: string;

  beforeAll(() => {
    idp = IdentityProvider.make();
    honest = idp.response(ANSWER);
  });

  function read(xml: string) {
    const document = readDocument(xml);
    return isRejection(document) ? `shape: ${document}` : readResponse(document);
  }

  it('gives what it says around the assertion', () => {
    expect(read(honest)).toEqual({
      id: '_response',
      issuer: idp.entityId,
      destination: ACS_URL,
      inResponseTo: '_request',
      status: { isSuccess: true, reason: undefined },
      isSigned: false,
      isEncrypted: false,
    });
  });

  it('knows whether it is signed itself, and what it leaves out', () => {
    const xml = idp.response({
      ...ANSWER,
      signed: 'both',
      responseIssuer: null,
      destination: null,
      inResponseTo: null,
    });

    expect(read(xml)).toMatchObject({
      issuer: undefined,
      destination: undefined,
      inResponseTo: undefined,
      isSigned: true,
    });
  });

  it.each([
    ['Responder', 'NoAuthnContext', 'NoAuthnContext'],
    ['Requester', 'RequestDenied', 'RequestDenied'],
    ['Responder', undefined, 'Responder'],
  ])('X17: gives the finer status code of %s and %s', (status, subStatus, reason) => {
    const options = { status: `${STATUS}${status}`, ...(subStatus && { subStatus: `${STATUS}${subStatus}` }) };

    expect(read(idp.response({ ...ANSWER, ...options }))).toMatchObject({ status: { isSuccess: false, reason } });
  });

  it.each(['urn:other:AuthnFailed', `${STATUS}AuthnFailed\u2028`, 'AuthnFailed', `${STATUS}Success`])(
    'X17: gives no status code that SAML does not have: %s',
    (subStatus) => {
      const xml = idp.response({ ...ANSWER, status: 'urn:other:failed', subStatus });

      expect(read(xml)).toMatchObject({ status: { isSuccess: false, reason: undefined } });
    },
  );

  it.each(['success', 'Success ', 'SuccessX', 'x:Success'])('X17: takes no look-alike of success: %s', (code) => {
    const xml = honest.replace(`${STATUS}Success`, `${STATUS}${code}`);

    expect(read(xml)).toMatchObject({ status: { isSuccess: false } });
  });

  it('X17: takes no success that stands below a failure', () => {
    const xml = idp.response({ ...ANSWER, status: `${STATUS}Responder`, subStatus: `${STATUS}Success` });

    expect(read(xml)).toMatchObject({ status: { isSuccess: false } });
  });

  it.each<readonly [string, string | RegExp, string]>([
    ['no ID', 'ID="_response"', ''],
    ['another version', 'Version="2.0"', 'Version="1.1"'],
    ['a status without a code', /<samlp:StatusCode[^>]*><\/samlp:StatusCode>/, ''],
    ['two codes', /(<samlp:StatusCode[^>]*><\/samlp:StatusCode>)/, '$1$1'],
    ['a code without a value', /<samlp:StatusCode[^>]*><\/samlp:StatusCode>/, '<samlp:StatusCode/>'],
    ['a code of another namespace', /<samlp:StatusCode([^>]*)><\/samlp:StatusCode>/, '<StatusCode xmlns="x"$1/>'],
  ])('X17: refuses %s', (_, from, to) => {
    const bent = honest.replace(from, to);

    expect(bent).not.toBe(honest);
    expect(read(bent)).toBe('structure');
  });

  it('X7: refuses an issuer that is no entity', () => {
    const format = 'Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"';

    expect(read(honest.replace('<saml:Issuer ', `<saml:Issuer ${format} `))).toBe('issuer');
  });
});
