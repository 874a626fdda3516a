import { type ScalarType, text } from '../../config/bind/key-type.js';
import { ConversionProblem } from '../../config/problem.js';

const PREFIX = 'whsec_';
/** Lengths of the specification of Standard Webhooks. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** A secret of Standard Webhooks: 24 to 64 random bytes in Base64, with or without the prefix `whsec_`. */
export const webhookSecret: ScalarType<Uint8Array> = {
  ...(text() as ScalarType<never>),
  name: 'webhook secret',
  expects: `${MIN_BYTES} to ${MAX_BYTES} random bytes in Base64, such as "openssl rand -base64 32" prints, with or without ${PREFIX}`,
  parse: (value) => {
    const encoded = value.trim().replace(new RegExp(`^${PREFIX}`), '');
    if (!/^[A-Za-z\d+/]+={0,2}$/.test(encoded)) return new ConversionProblem('not Base64');
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES) return bytes;
    return new ConversionProblem(`these are ${bytes.length} bytes instead of ${MIN_BYTES} to ${MAX_BYTES}`);
  },
  format: () => '',
};
