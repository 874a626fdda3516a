import { full, near, noEffect } from '../config/bind/effect.js';
import { oneOf, type ScalarType, text } from '../config/bind/key-type.js';
import { Mismatch } from '../config/bind/mismatch.js';
import { Key, Members } from '../config/bind/properties.decorator.js';
import { BundleOptions } from './bundle-options.properties.js';

const pkcs12 = oneOf('PKCS12');

/** No TLS library here reads JKS: the reason says how to convert such a file. */
const storeType: ScalarType<'PKCS12'> = {
  ...pkcs12,
  parse: (value) =>
    /^jks$/i.test(value.trim())
      ? new Mismatch(
          'JKS files cannot be read: convert it with keytool -importkeystore -srckeystore <file> ' +
            '-destkeystore <new file> -deststoretype pkcs12',
        )
      : pkcs12.parse(value),
};

/** The TLS library of the runtime takes a PKCS12 file only with a private key in it. */
const NO_TRUST_STORE =
  'a key store without a private key cannot be read: a bundle with truststore.location stops the start where it is ' +
  'used; name the authorities in truststore.certificate of a PEM bundle';

/** One bundle of key store files. */
@Members()
export class StoreBundleProperties extends BundleOptions {
  @Key(text(), {
    name: 'keystore.location',
    does: 'Key store file with the own certificate and its private key.',
    effect: full,
  })
  readonly keystoreLocation?: string;

  @Key(text(), {
    name: 'keystore.password',
    does: 'Password of the key store; write ${NAME} and keep the value in the environment.',
    effect: full,
  })
  readonly keystorePassword?: string;

  @Key(storeType, {
    name: 'keystore.type',
    does: 'Format of the key store file.',
    effect: near('PKCS12 only; JKS files must be converted'),
  })
  readonly keystoreType = 'PKCS12';

  @Key(text(), {
    name: 'truststore.location',
    does: 'Key store file with the authorities that are trusted.',
    effect: noEffect(NO_TRUST_STORE),
    defaultText: 'the authorities known to the runtime',
  })
  readonly truststoreLocation?: string;

  @Key(text(), {
    name: 'truststore.password',
    does: 'Password of the trust store; write ${NAME} and keep the value in the environment.',
    effect: noEffect(NO_TRUST_STORE),
  })
  readonly truststorePassword?: string;

  @Key(storeType, {
    name: 'truststore.type',
    does: 'Format of the trust store file.',
    effect: noEffect(NO_TRUST_STORE),
  })
  readonly truststoreType = 'PKCS12';
}
