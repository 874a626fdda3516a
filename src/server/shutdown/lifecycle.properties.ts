import { Duration } from '../../config/duration.js';
import { near } from '../../config/effect.js';
import { duration } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

@Properties('app.lifecycle')
export class LifecycleProperties {
  @Key(duration({ min: '0s' }), {
    does:
      'Longest wait for requests in progress when the service stops gracefully; keep it below the stop timeout of ' +
      'the process manager, which kills whatever still runs; 0 waits for nothing.',
    effect: near('connections still open at its end are cut off; readiness turning first comes in a later version'),
  })
  readonly timeoutPerShutdownPhase: Duration = Duration.ofSeconds(30);
}
