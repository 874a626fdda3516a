import { Duration } from '../config/bind/duration.js';
import { near } from '../config/bind/effect.js';
import { duration } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

const effect = near('Of metadata of identity providers alone: both together are the limit of the whole call.');

@Properties('app.http.client')
export class HttpClientProperties {
  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for a connection to another HTTP service.',
    effect,
  })
  readonly connectTimeout: Duration = Duration.ofSeconds(3);

  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for the answer of another HTTP service, and between two parts of it.',
    effect,
  })
  readonly readTimeout: Duration = Duration.ofSeconds(10);
}
