import { acceptedOnly, full } from '../config/bind/effect.js';
import { flag, list, oneOf } from '../config/bind/key-type.js';
import { Key } from '../config/bind/properties.decorator.js';
import { cipherSuite } from './cipher-suite.js';
import { type TlsVersion, tlsVersion } from './tls-version.js';

/** What bundles have in common, whatever their files are. */
export abstract class BundleOptions {
  @Key(list(cipherSuite), {
    name: 'options.ciphers',
    does: 'Cipher suites that may be used, by preference; empty leaves the choice to the runtime.',
    effect: full,
  })
  readonly ciphers: readonly string[] = [];

  @Key(list(tlsVersion), {
    name: 'options.enabled-protocols',
    does: 'TLS versions that may be used, TLSv1.2,TLSv1.3 or one of them; empty allows both.',
    effect: full,
  })
  readonly enabledProtocols: readonly TlsVersion[] = [];

  @Key(oneOf('TLS'), {
    does: 'Protocol family of the bundle.',
    effect: acceptedOnly('TLS is the only family; the versions are chosen by options.enabled-protocols'),
  })
  readonly protocol = 'TLS';

  @Key(flag(), {
    does:
      'Whether changed files take effect without a restart, for new connections within three seconds; files that ' +
      'cannot be used leave the old certificate in force.',
    effect: full,
  })
  readonly reloadOnUpdate: boolean = false;
}
