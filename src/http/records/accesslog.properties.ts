import { full } from '../../config/bind/effect.js';
import { flag, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { accessPattern, COMMON_PATTERN } from './access-pattern.js';

@Properties('server.embedded.accesslog')
export class AccesslogProperties {
  @Key(flag(), {
    does: 'Writes one line per request to access_log.yyyy-MM-dd.log, a new file every day of the time zone of the process.',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(text({ form: /\S/, called: 'the path of a folder' }), {
    does:
      'Folder of the access log files, relative to the working folder unless it starts with /; made where it is ' +
      'missing. Where it cannot be written, requests are served all the same and a warning says so.',
    effect: full,
  })
  readonly directory: string = 'logs';

  @Key(accessPattern, {
    does: 'What a line of the access log looks like. No pattern shows query strings, cookies or credentials.',
    effect: full,
  })
  readonly pattern = COMMON_PATTERN;
}
