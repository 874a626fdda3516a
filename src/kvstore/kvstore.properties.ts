import { Duration } from '../config/bind/duration.js';
import { acceptedOnly } from '../config/bind/effect.js';
import { duration, integer, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { healthComponent } from '../health/health-components.js';

const byHealth = acceptedOnly('used by the health indicator only; nothing is stored in this version');

/** Registered if a host is configured. */
export const KVSTORE_COMPONENT = healthComponent('kvstore');

@Properties('app.data.kvstore')
export class KvstoreProperties {
  @Key(text({ form: /^[^\s/]+$/, called: 'a host name or an IP address' }), {
    does: 'Host of the key-value store.',
    effect: byHealth,
  })
  readonly host: string = 'localhost';

  @Key(integer({ min: 1, max: 65_535 }), { does: 'Port of the key-value store.', effect: byHealth })
  readonly port: number = 6379;

  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for the response to one command of the key-value store.',
    effect: byHealth,
  })
  readonly timeout: Duration = Duration.ofSeconds(60);
}
