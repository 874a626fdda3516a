import { Duration } from '../config/duration.js';
import { notYet } from '../config/effect.js';
import { duration } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('app.http.client')
export class HttpClientProperties {
  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for a connection to another HTTP service.',
    effect: notYet('F'),
  })
  readonly connectTimeout: Duration = Duration.ofSeconds(3);

  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for the answer of another HTTP service, and between two parts of it.',
    effect: notYet('F'),
  })
  readonly readTimeout: Duration = Duration.ofSeconds(10);
}
