import { notYet } from '../config/effect.js';
import { oneOf, type ScalarType, text } from '../config/key-type.js';
import { Mismatch } from '../config/mismatch.js';
import { Key, Properties } from '../config/properties.decorator.js';
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

/** One bundle of key store files. */
@Properties('')
export class StoreBundleProperties extends BundleOptions {
  @Key(text(), {
    name: 'keystore.location',
    does: 'Key store file with the own certificate and its private key.',
    effect: notYet('F'),
  })
  readonly keystoreLocation?: string;

  @Key(text(), {
    name: 'keystore.password',
    does: 'Password of the key store; write ${NAME} and keep the value in the environment.',
    effect: notYet('F'),
  })
  readonly keystorePassword?: string;

  @Key(storeType, {
    name: 'keystore.type',
    does: 'Format of the key store file.',
    effect: notYet('F', 'PKCS12 only; JKS files must be converted.'),
  })
  readonly keystoreType = 'PKCS12';

  @Key(text(), {
    name: 'truststore.location',
    does: 'Key store file with the authorities that are trusted.',
    effect: notYet('F'),
    defaultText: 'the authorities known to the runtime',
  })
  readonly truststoreLocation?: string;

  @Key(text(), {
    name: 'truststore.password',
    does: 'Password of the trust store; write ${NAME} and keep the value in the environment.',
    effect: notYet('F'),
  })
  readonly truststorePassword?: string;

  @Key(storeType, {
    name: 'truststore.type',
    does: 'Format of the trust store file.',
    effect: notYet('F', 'PKCS12 only; JKS files must be converted.'),
  })
  readonly truststoreType = 'PKCS12';
}
