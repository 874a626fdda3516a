import { acceptedOnly, near } from '../../config/bind/effect.js';
import { integer } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('server.embedded.threads')
export class ThreadsProperties {
  @Key(integer({ min: 1 }), {
    does:
      'Requests in progress at most; more wait (server.embedded.accept-count); many more than connections in the ' +
      'database pool only wait for each other there.',
    effect: near('admission control: a slot per request instead of a thread'),
  })
  readonly max: number = 200;

  // More spare threads than threads are no mistake: whoever lowers `max` alone means it, and the lower number counts.
  @Key(integer({ min: 0 }), {
    does: 'Workers kept ready for password hashes; never more than the cores of the machine.',
    effect: acceptedOnly(
      'requests need no threads of their own; it counts the workers for password hashes that are kept from the first ' +
        'login on, so that none after it waits for one to start',
    ),
  })
  readonly minSpare: number = 10;
}
