import type { SamlRejection } from '../login/rejection.js';

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** Namespaces by prefix; the key of the default one is empty. */
export type NamespaceScope = ReadonlyMap<string, string>;

/** The namespaces outside the root element. */
export const ROOT_SCOPE: NamespaceScope = new Map([['xml', XML_NAMESPACE]]);

/** An attribute or a namespace declaration, as it is written in a tag. */
export interface RawAttribute {
  readonly prefix: string | undefined;
  readonly name: string;
  readonly value: string;
}

/** The namespaces in scope inside an element (Namespaces in XML 1.0, 3 and 6). */
export function scopeOf(
  outer: NamespaceScope,
  attributes: readonly RawAttribute[],
  maxPrefixes: number,
): NamespaceScope | SamlRejection {
  const declarations = attributes.filter(isDeclaration);
  if (declarations.length === 0) return outer;
  const scope = new Map(outer);
  for (const { prefix, name, value } of declarations) {
    const declared = prefix === undefined ? '' : name;
    if (declared === 'xml' || declared === 'xmlns') return 'not_well_formed';
    if (value === XML_NAMESPACE || value === XMLNS_NAMESPACE) return 'not_well_formed';
    if (declared !== '' && value === '') return 'not_well_formed';
    scope.set(declared, value);
  }
  return scope.size > maxPrefixes ? 'structure' : scope;
}

/** Undefined for a duplicate attribute or an undeclared prefix. */
export function attributesOf(
  scope: NamespaceScope,
  written: readonly RawAttribute[],
): ReadonlyMap<string, string> | undefined {
  const attributes = new Map<string, string>();
  const declared = new Set<string>();
  for (const attribute of written) {
    const { prefix, name, value } = attribute;
    if (isDeclaration(attribute)) {
      const key = prefix === undefined ? '' : name;
      if (declared.has(key)) return undefined;
      declared.add(key);
    } else {
      const namespace = prefix === undefined ? '' : scope.get(prefix);
      if (namespace === undefined) return undefined;
      const key = namespace === '' ? name : `{${namespace}}${name}`;
      if (attributes.has(key)) return undefined;
      attributes.set(key, value);
    }
  }
  return attributes;
}

function isDeclaration({ prefix, name }: RawAttribute): boolean {
  return prefix === 'xmlns' || (prefix === undefined && name === 'xmlns');
}
