import { full } from '../../config/bind/effect.js';
import { list } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { origin } from '../http/origin.js';

@Properties('app.security.return-to')
export class ReturnProperties {
  @Key(list(origin), {
    does:
      'Origins of other applications that return_to may name, so that a user who signs in here continues there. Anything ' +
      'else leads to the home page, with a line in the log.',
    effect: full,
  })
  readonly allowedOrigins: readonly string[] = [];
}
