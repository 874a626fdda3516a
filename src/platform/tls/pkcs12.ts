import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import type Forge from 'node-forge';

/** Number of parts of a PKCS12 file with a MAC: version, content and MAC (RFC 7292 section 4). */
const PARTS_WITH_MAC = 3;

type Bag = Forge.pkcs12.Bag;
type PfxContent = Forge.asn1.Asn1 & { readonly value: Forge.asn1.Asn1[] };

/** A member of Forge that its types lack: it decrypts by PBES2 (RFC 8018 section 6.2). */
interface Pbes2 {
  getCipherForPBES2: (oid: string, parameters: Forge.asn1.Asn1, password: string) => object;
}

/** The library Forge: Node does not expose the parts of a PKCS12 file. */
let loaded: typeof Forge | undefined;

/** Loads Forge, for a PKCS12 file of a client only. */
function library(): typeof Forge {
  return (loaded ??= withPasswordsInUtf8(createRequire(import.meta.url)('node-forge') as typeof Forge));
}

/**
 * PBES2 takes a password in UTF-8, where the MAC and older methods take UTF-16 (RFC 7292 appendix B.1). Forge uses UTF-16 for
 * the latter, but one byte for each character in PBES2.
 */
function withPasswordsInUtf8(forge: typeof Forge): typeof Forge {
  const { pbe } = forge.pki as unknown as { readonly pbe: Pbes2 };
  const cipherFor = pbe.getCipherForPBES2;
  pbe.getCipherForPBES2 = (oid, parameters, password) =>
    cipherFor(oid, parameters, Buffer.from(password).toString('latin1'));
  return forge;
}

/** A PKCS12 file (RFC 7292), which is not decrypted yet. */
export class Pkcs12File {
  private constructor(private readonly content: PfxContent) {}

  /** Parses a file. @throws Error if the file is incomplete */
  static parse(bytes: Buffer): Pkcs12File {
    const content = library().asn1.fromDer(bytes.toString('latin1'));
    if (!Array.isArray(content.value)) throw new TypeError('not a sequence');
    return new Pkcs12File({ ...content, value: content.value });
  }

  get hasMac(): boolean {
    return this.content.value.length >= PARTS_WITH_MAC;
  }

  /** Decrypts the file. @throws Error of the library, such as for a wrong password */
  open(password: string): Pkcs12Contents {
    const { safeContents } = library().pkcs12.pkcs12FromAsn1(this.content, true, password);
    return new Pkcs12Contents(safeContents.flatMap(({ safeBags }) => safeBags));
  }
}

/** The decrypted parts of a PKCS12 file; each function reads one of them. */
export class Pkcs12Contents {
  constructor(private readonly bags: readonly Bag[]) {}

  get certificates(): readonly (() => X509Certificate)[] {
    const { certBag } = library().pki.oids;
    return this.bags.filter(({ type }) => type === certBag).map((bag) => () => certificateIn(bag));
  }

  get privateKeys(): readonly (() => KeyObject)[] {
    const { keyBag, pkcs8ShroudedKeyBag } = library().pki.oids;
    const keys = this.bags.filter(({ type }) => type === keyBag || type === pkcs8ShroudedKeyBag);
    return keys.map((bag) => () => privateKeyIn(bag));
  }
}

/** Forge parses RSA keys and their certificates only, and leaves the others as they are. */
function certificateIn({ cert, asn1 }: Bag): X509Certificate {
  const { pki } = library();
  return new X509Certificate(derOf(cert ? pki.certificateToAsn1(cert) : asn1));
}

function privateKeyIn({ key, asn1 }: Bag): KeyObject {
  const { pki } = library();
  return key
    ? createPrivateKey({ key: derOf(pki.privateKeyToAsn1(key)), format: 'der', type: 'pkcs1' })
    : createPrivateKey({ key: derOf(asn1), format: 'der', type: 'pkcs8' });
}

function derOf(content: Forge.asn1.Asn1): Buffer {
  return Buffer.from(library().asn1.toDer(content).getBytes(), 'latin1');
}
