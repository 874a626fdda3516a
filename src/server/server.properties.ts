import { full, near, notYet } from '../config/effect.js';
import { integer, oneOf } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';
import { address } from './address.js';

@Properties('server')
export class ServerProperties {
  @Key(integer({ min: 0, max: 65_535 }), {
    does: 'Port of the main listener; 0 takes any free port.',
    effect: near('-1, for no listener at all, is not offered in this version'),
  })
  readonly port: number = 8080;

  @Key(address, {
    does: 'Address the main listener binds to; 127.0.0.1 where only a proxy on the same machine may call.',
    effect: full,
    defaultText: 'every address of the machine',
  })
  readonly address?: string;

  @Key(oneOf('graceful', 'immediate'), {
    does:
      'How the service stops: graceful refuses new connections and finishes requests in progress, immediate cuts ' +
      'them off.',
    effect: notYet('F'),
  })
  readonly shutdown: 'graceful' | 'immediate' = 'graceful';

  @Key(oneOf('none', 'native', 'framework'), {
    does:
      'Whose X-Forwarded-* headers are believed for the address, host and scheme of the caller: none ignores them, ' +
      'native believes peers in private networks, framework believes every peer and also reads Forwarded (RFC 7239).',
    effect: notYet('F'),
  })
  readonly forwardHeadersStrategy: 'none' | 'native' | 'framework' = 'none';
}
