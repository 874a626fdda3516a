import { ConversionProblem } from '../../config/problem.js';
import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, list, map, type ScalarType, text } from '../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

/** A URL to which paths are appended. Credentials have keys of their own, because URLs are shown and logged. */
export const baseUrl: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects: 'a URL such as https://console.example.com/admin, without user, query and fragment',
  parse: (value) => {
    const trimmed = value.trim();
    const isPlain = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i.test(trimmed) && URL.canParse(trimmed);
    return isPlain ? trimmed.replace(/\/+$/, '') : new ConversionProblem('not a URL of this form');
  },
};

@Properties('app.boot.admin.client')
export class ConsoleClientProperties implements SelfChecking {
  @Key(list(baseUrl), {
    does:
      'Consoles to register with; of several, the first that responds is used, so they must be replicas of one; ' +
      'empty disables registration.',
    effect: full,
  })
  readonly url: readonly string[] = [];

  @Key(text({ form: /^[^:]*$/, called: 'a text without a colon' }), {
    does: 'User name for the console (HTTP Basic), if it requires one; use an https URL then.',
    effect: full,
  })
  readonly username?: string;

  @Key(text(), { does: 'Password for the console (HTTP Basic).', effect: full })
  readonly password?: string;

  @Key(duration({ min: '1s', max: '1h' }), {
    does: 'Interval between registrations; the console treats each as a sign of life.',
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

@Properties('app.boot.admin.client.instance')
export class ConsoleInstanceProperties {
  @Key(text({ form: /\S/, called: 'a text that is not blank' }), {
    does: 'Name of this service in the console.',
    effect: full,
  })
  readonly name: string = 'login-service';

  @Key(baseUrl, {
    does: 'URL at which the console reaches the management endpoints; set it behind a proxy and in a container.',
    effect: full,
    defaultText: 'address and port of their listener, with the base path',
  })
  readonly managementUrl?: string;

  @Key(baseUrl, {
    does: 'URL at which the console checks health; the console also identifies this process by it.',
    effect: full,
    defaultText: 'health below management-url',
  })
  readonly healthUrl?: string;

  @Key(baseUrl, {
    does: 'URL of the service that the console links to.',
    effect: full,
    defaultText: 'address and port of the main listener, with the context path',
  })
  readonly serviceUrl?: string;

  @Key(map(text(), 'name'), {
    does:
      'Further facts for the console. user.name and user.password pass on the Basic account of ' +
      'management.security: every console in url receives that secret, and nothing sends it unless it is set here.',
    effect: full,
  })
  readonly metadata: ReadonlyMap<string, string> = new Map();
}
