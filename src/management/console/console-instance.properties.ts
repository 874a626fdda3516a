import { full } from '../../config/bind/effect.js';
import { map, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { baseUrl } from './console-url.js';

@Properties('app.boot.admin.client.instance')
export class ConsoleInstanceProperties {
  @Key(text({ form: /\S/, called: 'a text that is not blank' }), {
    does: 'Name of this service in the console.',
    effect: full,
  })
  readonly name: string = 'login-service';

  @Key(baseUrl, {
    does: 'Where the console reaches the management endpoints; set it behind a proxy and in a container.',
    effect: full,
    defaultText: 'address and port of their listener, with the base path',
  })
  readonly managementUrl?: string;

  @Key(baseUrl, {
    does: 'Where the console asks for health; also what it knows this process by.',
    effect: full,
    defaultText: 'health below management-url',
  })
  readonly healthUrl?: string;

  @Key(baseUrl, {
    does: 'Where the console sends people to.',
    effect: full,
    defaultText: 'address and port of the main listener, with the context path',
  })
  readonly serviceUrl?: string;

  @Key(map(text(), 'name'), {
    does:
      'Further facts for the console. user.name and user.password tell it the Basic account of management.security: ' +
      'every console named in url gets that secret, and nothing sends it unless it is written here.',
    effect: full,
  })
  readonly metadata: ReadonlyMap<string, string> = new Map();
}
