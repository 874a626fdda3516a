import { DataSize } from '../../config/bind/data-size.js';
import { Duration } from '../../config/bind/duration.js';
import { full, near } from '../../config/bind/effect.js';
import { dataSize, duration, integer } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('server.embedded')
export class EmbeddedProperties {
  @Key(integer({ min: 1 }), {
    does: 'Open connections of the main listener at most; one more is dropped.',
    effect: full,
  })
  readonly maxConnections: number = 8192;

  @Key(integer({ min: 0 }), {
    does:
      'Requests waiting at most while all threads are busy; one more is answered 503 with Retry-After; 0 lets none ' +
      'wait.',
    effect: near(
      'the refusal is an answer, not a reset connection; where it is above 511 the listen backlog of the operating ' +
        'system is as long',
    ),
  })
  readonly acceptCount: number = 100;

  @Key(duration({ min: '1ms', max: '24d' }), {
    does:
      'Longest wait for the head of a request on an open connection, the first as well as the next, and then for its ' +
      'whole body, of an upload for its next bytes; late ones are answered 408, idle connections closed; it cannot be ' +
      'switched off.',
    effect: full,
  })
  readonly connectionTimeout: Duration = Duration.ofSeconds(60);

  @Key(dataSize({ min: -1 }), {
    does:
      'Largest form body (application/x-www-form-urlencoded); a larger one is answered 413; -1 leaves it at the 64 MB ' +
      'that all bodies still on their way may have together. JSON bodies have server.max-http-json-body-size.',
    effect: full,
  })
  readonly maxHttpFormPostSize: DataSize = DataSize.ofBytes(2 * 1024 * 1024);
}
