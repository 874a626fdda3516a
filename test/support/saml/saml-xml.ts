import { randomBytes } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** A date, or milliseconds since 1970. */
export type Instant = Date | number;

export type Binding = 'redirect' | 'post';

export const NAMESPACE = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const;

export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
export const MFA_CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:MultiFactor';
export const PASSWORD_CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password';
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

export const BINDING_URI: Readonly<Record<Binding, string>> = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for an element or an attribute in double quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

/** ` name="value"`, or an empty text without a value. */
export function attribute(name: string, value: string | null | undefined): string {
  return value === null || value === undefined ? '' : ` ${name}="${escaped(value)}"`;
}

/** An instant as messages write it: UTC with milliseconds (SAML core 1.3.3). */
export function written(at: Instant | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A random message identifier (SAML core 1.3.4). */
export function messageId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}

/** The text between the lines of a PEM. */
export function bare(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----|\s/g, '');
}

/** Replaces a text; throws if it is missing, since the test would otherwise prove nothing. */
export function replaced(xml: string, from: string | RegExp, to: string): string {
  const result = xml.replace(from, () => to);
  if (result === xml) throw new Error(`no ${String(from)} in ${xml}`);
  return result;
}

/** The first element of that name, with its content. */
export function part(xml: string, name: string): string {
  const [found] = new RegExp(`<${name}[ >][\\s\\S]*?</${name}>`).exec(xml) ?? [];
  if (found === undefined) throw new Error(`no ${name} in ${xml}`);
  return found;
}

/** Root element of a message; throws for malformed XML. */
export function rootOf(xml: string): Element {
  return new DOMParser({
    errorHandler: (level: string, message: unknown) => {
      throw new Error(`${level}: ${String(message)}`);
    },
  }).parseFromString(xml, 'text/xml').documentElement;
}

/** All elements of this name in a namespace, at any depth. */
export function elementsOf(parent: Element, namespace: keyof typeof NAMESPACE, name: string): readonly Element[] {
  return Array.from(parent.getElementsByTagNameNS(NAMESPACE[namespace], name));
}

/** Text of the first element of this name, or nothing. */
export function textOf(parent: Element, namespace: keyof typeof NAMESPACE, name: string): string | undefined {
  return elementsOf(parent, namespace, name)[0]?.textContent;
}

/** Value of an attribute, or undefined if it is missing. */
export function valueOf(element: Element | undefined, name: string): string | undefined {
  return element?.hasAttribute(name) === true ? (element.getAttribute(name) ?? undefined) : undefined;
}
