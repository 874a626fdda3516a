import { notYet } from '../../config/effect.js';
import { flag, text } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

@Properties('server.embedded.accesslog')
export class AccesslogProperties {
  @Key(flag(), {
    does: 'Writes one line per request in Common Log Format to a file per day.',
    effect: notYet('F'),
  })
  readonly enabled: boolean = false;

  @Key(text({ form: /\S/, called: 'the path of a folder' }), {
    does: 'Folder of the access log files, relative to the working folder unless it starts with /.',
    effect: notYet('F'),
  })
  readonly directory: string = 'logs';
}
