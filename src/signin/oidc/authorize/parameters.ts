import { OAuthError } from '../oauth-error.js';

/** The parameters of a message by name, each at most once (RFC 6749 section 3.1). */
export type Parameters = ReadonlyMap<string, string>;

const MAX_LENGTH = 8192;

/** Parses a query or a form as it was sent; parameters without a value are omitted (RFC 6749 section 3.1). */
export function parseParameters(text: string): Parameters {
  return parametersOf(new URLSearchParams(text));
}

function parametersOf(pairs: Iterable<readonly [string, string]>): Parameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (value === '') continue;
    // Two clients may read such a request differently, so none of its parameters is trusted.
    if (parameters.has(name)) throw new OAuthError('invalid_request', `${printable(name)} is sent more than once`);
    parameters.set(name, value);
  }
  // In the form in which it is stored while its user signs in.
  if (writtenParameters(parameters).length > MAX_LENGTH) {
    throw new OAuthError('invalid_request', 'the request is too long');
  }
  return parameters;
}

/** The parameters of a form that was read as an object. */
export function formParameters(form: unknown): Parameters {
  return parametersOf(Object.entries(form ?? {}).map(([name, value]) => [name, String(value)]));
}

/** The form in which parameters are stored. */
export function writtenParameters(parameters: Parameters): string {
  return new URLSearchParams([...parameters]).toString();
}

/** The values of a list that is separated by blanks. */
export function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(' ').filter((value) => value !== '');
}

function printable(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '').slice(0, 40);
}
