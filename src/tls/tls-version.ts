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
