import { notYet } from '../config/effect.js';
import { flag, list, oneOf, type ScalarType, text } from '../config/key-type.js';
import { Mismatch } from '../config/mismatch.js';
import { Key, Properties } from '../config/properties.decorator.js';

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
export class StoreBundleProperties {
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

  @Key(list(text()), {
    name: 'options.ciphers',
    does: 'Cipher suites that may be used, by preference; empty leaves the choice to the runtime.',
    effect: notYet('F'),
  })
  readonly ciphers: readonly string[] = [];

  @Key(list(text({ form: /^TLSv1(?:\.[1-3])?$/, called: 'a TLS version such as TLSv1.3' })), {
    name: 'options.enabled-protocols',
    does: 'TLS versions that may be used, e.g. TLSv1.2,TLSv1.3; empty leaves the choice to the runtime.',
    effect: notYet('F'),
  })
  readonly enabledProtocols: readonly string[] = [];

  @Key(text(), {
    does: 'Protocol family of the bundle.',
    effect: notYet('A', 'TLS is the only family; the versions are chosen by options.enabled-protocols.'),
  })
  readonly protocol: string = 'TLS';

  @Key(flag(), {
    does: 'Whether a changed file takes effect without a restart.',
    effect: notYet('F'),
  })
  readonly reloadOnUpdate: boolean = false;
}
