import { acceptedOnly, full, near } from '../../config/bind/effect.js';
import { Duration } from '../../config/bind/duration.js';
import { duration, flag, list, neverUnset, objects, oneOf, type ScalarType, text } from '../../config/bind/key-type.js';
import { Key, Members, Properties } from '../../config/bind/properties.decorator.js';
import { cipherSuite, type TlsVersion, tlsVersion } from './protocol-options.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { ConversionProblem } from '../../config/problem.js';
import { healthComponent } from '../../observability/health/health-components.js';

const TRUSTED_BY_CLIENTS = near(
  'used by calls to other HTTP services, mail and the key-value store; the listener requests no client certificates',
);

// Trusted authorities: an empty text must not replace them by all those that the runtime knows.
const trustedText = neverUnset(text({ form: /\S/, called: 'the path of a file, or its text in PEM form' }));
const trustedFile = neverUnset(text({ form: /\S/, called: 'the path of a file' }));

/** Keys of every bundle. */
export abstract class BundleOptions {
  @Key(list(cipherSuite), {
    name: 'options.ciphers',
    does: 'Allowed cipher suites, by preference; empty leaves the choice to the runtime.',
    effect: full,
  })
  readonly ciphers: readonly string[] = [];

  @Key(list(tlsVersion), {
    name: 'options.enabled-protocols',
    does: 'Allowed TLS versions, TLSv1.2,TLSv1.3 or one of them; empty allows both.',
    effect: full,
  })
  readonly enabledProtocols: readonly TlsVersion[] = [];

  @Key(oneOf('TLS'), {
    does: 'Protocol family of the bundle.',
    effect: acceptedOnly('TLS is the only family; options.enabled-protocols selects its versions.'),
  })
  readonly protocol = 'TLS';

  @Key(flag(), {
    does:
      'Whether changed files are applied without a restart, for new connections within three seconds; if the new ' +
      'files are invalid, the old certificates stay in use.',
    effect: full,
  })
  readonly reloadOnUpdate: boolean = false;
}

/** Keys of a bundle of PEM files. */
@Members()
export class PemBundleProperties extends BundleOptions implements SelfChecking {
  @Key(text(), {
    name: 'keystore.certificate',
    does:
      'Own certificate, followed by the intermediate certificates: a file (file:/etc/login/tls.crt) or the PEM ' +
      'text itself.',
    effect: full,
  })
  readonly keystoreCertificate?: string;

  @Key(text(), {
    name: 'keystore.private-key',
    does: 'Private key of the own certificate: a file of mode 600 or the PEM text itself, then best written ${NAME}.',
    effect: full,
    mayBeFilePath: true,
  })
  readonly keystorePrivateKey?: string;

  @Key(text(), {
    name: 'keystore.private-key-password',
    does: 'Password of the private key, if it is encrypted; write ${NAME} and keep the value in the environment.',
    effect: full,
  })
  readonly keystorePrivateKeyPassword?: string;

  @Key(trustedText, {
    name: 'truststore.certificate',
    does: 'Certificates of trusted authorities, e.g. an internal one: a file or the PEM text itself.',
    effect: TRUSTED_BY_CLIENTS,
    defaultText: 'the authorities known to the runtime',
  })
  readonly truststoreCertificate?: string;

  violations(): readonly Violation[] {
    if (this.keystorePrivateKey === undefined || this.keystoreCertificate !== undefined) return [];
    return [
      {
        property: 'keystorePrivateKey',
        against: ['keystoreCertificate'],
        reason: 'needs its certificate in keystore.certificate of the same bundle',
      },
    ];
  }
}

const pkcs12 = oneOf('PKCS12');

/** JKS is not supported; the reason states how to convert such a file. */
const storeType: ScalarType<'PKCS12'> = {
  ...pkcs12,
  parse: (value) =>
    /^jks$/i.test(value.trim())
      ? new ConversionProblem(
          'JKS files cannot be read: convert it with keytool -importkeystore -srckeystore <file> ' +
            '-destkeystore <new file> -deststoretype pkcs12',
        )
      : pkcs12.parse(value),
};

/** Keys of a bundle of key store files. */
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

  @Key(trustedFile, {
    name: 'truststore.location',
    does: 'Key store file with the certificates of trusted authorities and no private key.',
    effect: TRUSTED_BY_CLIENTS,
    defaultText: 'the authorities known to the runtime',
  })
  readonly truststoreLocation?: string;

  // Without a password, a trust store that has lost its MAC would be accepted.
  @Key(neverUnset(text()), {
    name: 'truststore.password',
    does: 'Password of the trust store; write ${NAME} and keep the value in the environment.',
    effect: full,
  })
  readonly truststorePassword?: string;

  @Key(storeType, {
    name: 'truststore.type',
    does: 'Format of the trust store file.',
    effect: near('PKCS12 only; JKS files must be converted'),
  })
  readonly truststoreType = 'PKCS12';
}

/** Health component of certificates; registered if a bundle is configured. */
export const SSL_COMPONENT = healthComponent('ssl');

@Properties('app.ssl.bundle')
export class SslBundleProperties {
  @Key(objects(PemBundleProperties, 'name'), {
    does: 'Certificates, keys and trusted authorities in PEM format; other keys refer to a bundle by its name.',
    effect: full,
  })
  readonly pem: ReadonlyMap<string, PemBundleProperties> = new Map();

  @Key(objects(StoreBundleProperties, 'name'), {
    does: 'Certificates, keys and trusted authorities in key store files; other keys refer to a bundle by its name.',
    effect: near('PKCS12 only; JKS files must be converted'),
  })
  readonly jks: ReadonlyMap<string, StoreBundleProperties> = new Map();
}

@Properties('management.health.ssl')
export class SslHealthProperties {
  @Key(duration({ min: '0s' }), {
    does:
      'Health shows a certificate of a bundle as WILL_EXPIRE_SOON, and its chain among expiringChains, from this time before ' +
      'its expiry on; the status remains UP.',
    effect: full,
  })
  readonly certificateValidityWarningThreshold: Duration = Duration.ofSeconds(14 * 86_400);
}
