import { type ScalarType, text } from '../../config/bind/key-type.js';
import { ConversionProblem } from '../../config/problem.js';

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

const version = text({ form: /^TLSv1\.[23]$/, called: 'a TLS version such as TLSv1.3' }) as ScalarType<TlsVersion>;

/** The two secure TLS versions; they are adjacent, so any set of them is a range. */
export const tlsVersion: ScalarType<TlsVersion> = {
  ...version,
  parse: (value) =>
    /^TLSv1(?:\.[01])?$/.test(value)
      ? new ConversionProblem('TLSv1 and TLSv1.1 are not offered: they are broken (RFC 8996)')
      : version.parse(value),
};

/** Suites that authenticate by certificate and need no further parameters. */
const USABLE = /^(?:TLS_|ECDHE-|AES)/;

/** A cipher suite by its OpenSSL name, `ECDHE-RSA-AES128-GCM-SHA256`, or its IANA name, `TLS_ECDHE_RSA_WITH_…`. */
export const cipherSuite: ScalarType<string> = {
  ...text(),
  name: 'cipher suite',
  expects: 'a cipher suite such as TLS_AES_256_GCM_SHA384 or ECDHE-RSA-AES256-GCM-SHA384',
  parse: (value) => {
    const name = nameInOpenssl(value.trim().toUpperCase());
    return known().has(name) ? name : new ConversionProblem('no cipher suite that is known here');
  },
};

/** The suites that the runtime knows; computed only if a suite is configured. */
function known(): ReadonlySet<string> {
  const names = process.getBuiltinModule('node:tls').getCiphers();
  return new Set(names.map((name) => name.toUpperCase()).filter((name) => USABLE.test(name)));
}

/** Converts an IANA name to the OpenSSL name; both names of a TLSv1.3 suite are equal. */
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
 * True if a suite fits one of the versions and the key type of the certificate, which a client does not know before; an
 * empty list means all.
 */
export function fits(suites: readonly string[], versions: readonly TlsVersion[], keyType: string | undefined): boolean {
  if (suites.length === 0) return true;
  const takes = (version: TlsVersion): boolean => versions.length === 0 || versions.includes(version);
  return suites.some((suite) => {
    if (suite.startsWith('TLS_')) return takes('TLSv1.3');
    return takes('TLSv1.2') && suite.startsWith('ECDHE-ECDSA-') !== keyType?.startsWith('rsa');
  });
}
