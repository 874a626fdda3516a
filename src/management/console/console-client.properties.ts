import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, list, text } from '../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { baseUrl } from './console-url.js';

@Properties('app.boot.admin.client')
export class ConsoleClientProperties implements SelfChecking {
  @Key(list(baseUrl), {
    does:
      'Consoles to register with; of several the first that answers is taken, so that they are replicas of one; none ' +
      'leaves the registration off.',
    effect: full,
  })
  readonly url: readonly string[] = [];

  @Key(text({ form: /^[^:]*$/, called: 'a text without a colon' }), {
    does: 'Name for the console (HTTP Basic), where it asks for one; use an https URL then.',
    effect: full,
  })
  readonly username?: string;

  @Key(text(), { does: 'Password for the console (HTTP Basic).', effect: full })
  readonly password?: string;

  @Key(duration({ min: '1s', max: '1h' }), {
    does: 'Time between two registrations, which the console takes as a sign of life.',
    effect: full,
  })
  readonly period: Duration = Duration.ofSeconds(10);

  violations(): readonly Violation[] {
    if ((this.username === undefined) === (this.password === undefined)) return [];
    return [
      this.password === undefined
        ? {
            property: 'username',
            against: ['password'],
            reason: 'needs a password beside it',
            action: 'Set app.boot.admin.client.password, or remove the username.',
          }
        : {
            property: 'password',
            against: ['username'],
            reason: 'needs a username beside it',
            action: 'Set app.boot.admin.client.username, or remove the password.',
          },
    ];
  }
}
