import { full } from '../../config/bind/effect.js';
import { flag } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('server.http2')
export class Http2Properties {
  @Key(flag(), {
    does: 'Whether callers may choose HTTP/2 beside HTTP/1.1; it counts only with TLS (server.ssl.bundle).',
    effect: full,
  })
  readonly enabled: boolean = true;
}
