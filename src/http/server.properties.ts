import { DataSize } from '../config/bind/data-size.js';
import { Duration } from '../config/bind/duration.js';
import { full } from '../config/bind/effect.js';
import { dataSize, duration, integer, oneOf } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { address } from './address.js';

@Properties('server')
export class ServerProperties {
  @Key(integer({ min: -1, max: 65_535 }), {
    does:
      'Port of the main listener; 0 takes any free port; -1 opens none, and none for the management endpoints either ' +
      'unless they have a port of their own.',
    effect: full,
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
    effect: full,
  })
  readonly shutdown: 'graceful' | 'immediate' = 'graceful';

  @Key(duration({ min: '0s', max: '24d' }), {
    does:
      'Wait between readiness turning to refusing and the listener closing, while everything is still answered; give ' +
      'it the time a load balancer takes to notice. It comes on top of app.lifecycle.timeout-per-shutdown-phase, and ' +
      'counts for a graceful shutdown only.',
    effect: full,
  })
  readonly shutdownPreDrain: Duration = Duration.ofSeconds(0);

  @Key(dataSize({ min: 1024, max: 1024 * 1024 }), {
    does: 'Largest head of a request, its line and all headers together; a larger one is answered 431.',
    effect: full,
  })
  readonly maxHttpRequestHeaderSize: DataSize = DataSize.ofBytes(16 * 1024);

  @Key(dataSize({ min: 1024, max: 16 * 1024 * 1024 }), {
    does: 'Largest JSON body; a larger one is answered 413. No body of the interface comes near the default.',
    effect: full,
  })
  readonly maxHttpJsonBodySize: DataSize = DataSize.ofBytes(64 * 1024);

  @Key(oneOf('none', 'native', 'framework'), {
    does:
      'Whose X-Forwarded-For, -Proto, -Host and -Port are believed for the address, scheme and host of the caller: ' +
      'none believes nobody, native peers in private networks, framework every peer, and Forwarded (RFC 7239) first. ' +
      'X-Forwarded-Prefix is not read: a path in front of every route is server.servlet.context-path.',
    effect: full,
  })
  readonly forwardHeadersStrategy: 'none' | 'native' | 'framework' = 'none';
}
