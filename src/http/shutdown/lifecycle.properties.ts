import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.lifecycle')
export class LifecycleProperties {
  @Key(duration({ min: '0s', max: '24d' }), {
    does:
      'Longest wait for requests in progress when the service stops gracefully, and for what is behind them (workers, ' +
      'database; a second at least); requests that are left then are cut off. Keep it below the stop timeout of the process ' +
      'manager, which kills whatever still runs; 0 waits for nothing.',
    effect: full,
  })
  readonly timeoutPerShutdownPhase: Duration = Duration.ofSeconds(30);
}
