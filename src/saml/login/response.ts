import { issuerOf } from './assertion.js';
import type { XmlElement } from '../xml/xml-reader.js';
import type { Rejection } from './rejection.js';
import { NAMESPACE } from '../xml/saml-uris.js';

/** What a response says around its assertion. */
export interface ResponseFacts {
  readonly id: string;
  readonly issuer: string | undefined;
  readonly destination: string | undefined;
  readonly inResponseTo: string | undefined;
  readonly status: Status;
  /** Whether the response itself has a signature, which must then be good, too. */
  readonly isSigned: boolean;
  /** Whether its assertion is encrypted. */
  readonly isEncrypted: boolean;
}

interface Status {
  readonly isSuccess: boolean;
  /** Of a failure, such as `RequestDenied`, the finer code first; only names that SAML has, no text of the sender (core 3.2.2.2). */
  readonly reason: string | undefined;
}

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';
const REASONS: ReadonlySet<string> = new Set([
  ...['Requester', 'Responder', 'VersionMismatch', 'AuthnFailed', 'InvalidAttrNameOrValue', 'InvalidNameIDPolicy'],
  ...['NoAuthnContext', 'NoAvailableIDP', 'NoPassive', 'NoSupportedIDP', 'PartialLogout', 'ProxyCountExceeded'],
  ...['RequestDenied', 'RequestUnsupported', 'RequestVersionDeprecated', 'RequestVersionTooHigh'],
  ...['RequestVersionTooLow', 'ResourceNotRecognized', 'TooManyResponses', 'UnknownAttrProfile', 'UnknownPrincipal'],
  'UnsupportedBinding',
]);

/** Reads what stands in a document of the right shape (document-shape.ts). */
export function readResponse(document: XmlElement): ResponseFacts | Rejection {
  const { attributes, children } = document;
  const id = attributes.get('ID');
  const status = children.find(({ name }) => name === 'Status');
  if (id === undefined || attributes.get('Version') !== '2.0' || status === undefined) return 'structure';
  const codes = statusCodes(status);
  if (codes === undefined) return 'structure';
  const issuer = issuerOf(document);
  if (issuer === undefined && children.some(({ name }) => name === 'Issuer')) return 'issuer';
  return {
    id,
    issuer,
    destination: attributes.get('Destination'),
    inResponseTo: attributes.get('InResponseTo'),
    status: { isSuccess: codes[0] === `${STATUS}Success`, reason: reasonIn(codes) },
    isSigned: children.some(({ name }) => name === 'Signature'),
    isEncrypted: children.some(({ name }) => name === 'EncryptedAssertion'),
  };
}

/** The values from the outermost to the innermost. */
function statusCodes(status: XmlElement): string[] | undefined {
  const codes: string[] = [];
  for (let around: XmlElement | undefined = status; around !== undefined;) {
    const inner: XmlElement[] = around.children.filter(
      ({ name, namespace }) => name === 'StatusCode' && namespace === NAMESPACE.protocol,
    );
    if (inner.length > 1) return undefined;
    [around] = inner;
    const value = around?.attributes.get('Value');
    if (around !== undefined && value === undefined) return undefined;
    if (value !== undefined) codes.push(value);
  }
  return codes.length === 0 ? undefined : codes;
}

function reasonIn([outermost = '', ...below]: readonly string[]): string | undefined {
  const reasons = [...below, outermost]
    .filter((code) => code.startsWith(STATUS))
    .map((code) => code.slice(STATUS.length));
  return reasons.find((reason) => REASONS.has(reason));
}
