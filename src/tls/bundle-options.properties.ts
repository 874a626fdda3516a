import { notYet } from '../config/effect.js';
import { flag, list, text } from '../config/key-type.js';
import { Key } from '../config/properties.decorator.js';

/** What bundles have in common, whatever their files are. */
export abstract class BundleOptions {
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
