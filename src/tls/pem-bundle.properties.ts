import { notYet } from '../config/effect.js';
import { flag, list, text } from '../config/key-type.js';
import type { SelfChecking, Violation } from '../config/properties-class.js';
import { Key, Properties } from '../config/properties.decorator.js';

/** One bundle of PEM files. */
@Properties('')
export class PemBundleProperties implements SelfChecking {
  @Key(text(), {
    name: 'keystore.certificate',
    does: 'Own certificate with its chain: a file (file:/etc/login/tls.crt) or the PEM text itself.',
    effect: notYet('F'),
  })
  readonly keystoreCertificate?: string;

  @Key(text(), {
    name: 'keystore.private-key',
    does: 'Private key of the own certificate: a file of mode 600 or the PEM text itself.',
    effect: notYet('F'),
  })
  readonly keystorePrivateKey?: string;

  @Key(text(), {
    name: 'keystore.private-key-password',
    does: 'Password of the private key where it is encrypted; write ${NAME} and keep the value in the environment.',
    effect: notYet('F'),
  })
  readonly keystorePrivateKeyPassword?: string;

  @Key(text(), {
    name: 'truststore.certificate',
    does: 'Certificates of the authorities that are trusted, e.g. an internal one: a file or the PEM text itself.',
    effect: notYet('F'),
    defaultText: 'the authorities known to the runtime',
  })
  readonly truststoreCertificate?: string;

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
