import { type ScalarType, text } from '../config/bind/key-type.js';
import { ConversionError } from '../config/problem.js';

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

const version = text({ form: /^TLSv1\.[23]$/, called: 'a TLS version such as TLSv1.3' }) as ScalarType<TlsVersion>;

/** The two versions that are not broken; they have no gap between them, so that any set of them is a range. */
export const tlsVersion: ScalarType<TlsVersion> = {
  ...version,
  parse: (value) =>
    /^TLSv1(?:\.[01])?$/.test(value)
      ? new ConversionError('TLSv1 and TLSv1.1 are not offered: they are broken (RFC 8996)')
      : version.parse(value),
};

/** Suites that a certificate can be used with, and that the server can agree on without further parameters. */
const USABLE = /^(?:TLS_|ECDHE-|AES)/;

/** A cipher suite by its name in OpenSSL, `ECDHE-RSA-AES128-GCM-SHA256`, or in the registry of IANA, `TLS_ECDHE_RSA_WITH_…`. */
export const cipherSuite: ScalarType<string> = {
  ...text(),
  name: 'cipher suite',
  expects: 'a cipher suite such as TLS_AES_256_GCM_SHA384 or ECDHE-RSA-AES256-GCM-SHA384',
  parse: (value) => {
    const name = nameInOpenssl(value.trim().toUpperCase());
    return known().has(name) ? name : new ConversionError('no cipher suite that is known here');
  },
};

/** Loaded when a suite is read, which most starts do not do. */
function known(): ReadonlySet<string> {
  const names = process.getBuiltinModule('node:tls').getCiphers();
  return new Set(names.map((name) => name.toUpperCase()).filter((name) => USABLE.test(name)));
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` is `ECDHE-RSA-AES128-GCM-SHA256`; both names of a TLSv1.3 suite are one. */
function nameInOpenssl(name: string): string {
  const [, exchange, cipher] = /^TLS_(\w+)_WITH_(\w+)$/.exec(name) ?? [];
  if (exchange === undefined || cipher === undefined) return name;
  const algorithm = cipher
    .replace(/^AES_(\d+)_(?:CBC_)?/, 'AES$1_')
    .replace(/^(CHACHA20_POLY1305)_SHA256$/, '$1')
    .replace(/_CCM_8$/, '_CCM8');
  return [...(exchange === 'RSA' ? [] : [exchange]), algorithm].join('_').replaceAll('_', '-');
}

/**
 * True where some suite fits both a version and the kind of the certificate's key; an empty list stands for all of
 * them.
 */
export function fits(suites: readonly string[], versions: readonly TlsVersion[], keyType: string | undefined): boolean {
  if (suites.length === 0) return true;
  const takes = (version: TlsVersion): boolean => versions.length === 0 || versions.includes(version);
  return suites.some((suite) => {
    if (suite.startsWith('TLS_')) return takes('TLSv1.3');
    return takes('TLSv1.2') && suite.startsWith('ECDHE-ECDSA-') !== (keyType ?? '').startsWith('rsa');
  });
}
