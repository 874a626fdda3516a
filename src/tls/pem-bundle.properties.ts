import { full, notYet } from '../config/bind/effect.js';
import { text } from '../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../config/bind/properties-class.js';
import { Key, Members } from '../config/bind/properties.decorator.js';
import { BundleOptions } from './bundle-options.properties.js';

/** One bundle of PEM files. */
@Members()
export class PemBundleProperties extends BundleOptions implements SelfChecking {
  @Key(text(), {
    name: 'keystore.certificate',
    does:
      'Own certificate, followed by those of the authorities between it and the root: a file ' +
      '(file:/etc/login/tls.crt) or the PEM text itself.',
    effect: full,
  })
  readonly keystoreCertificate?: string;

  @Key(text(), {
    name: 'keystore.private-key',
    does: 'Private key of the own certificate: a file of mode 600 or the PEM text itself, then best written ${NAME}.',
    effect: full,
    mayNamePlace: true,
  })
  readonly keystorePrivateKey?: string;

  @Key(text(), {
    name: 'keystore.private-key-password',
    does: 'Password of the private key where it is encrypted; write ${NAME} and keep the value in the environment.',
    effect: full,
  })
  readonly keystorePrivateKeyPassword?: string;

  @Key(text(), {
    name: 'truststore.certificate',
    does: 'Certificates of the authorities that are trusted, e.g. an internal one: a file or the PEM text itself.',
    effect: notYet('F', 'The listener asks callers for no certificate, and connections to others name no bundle yet.'),
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
