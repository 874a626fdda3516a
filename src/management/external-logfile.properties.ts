import { full } from '../config/bind/effect.js';
import { text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('management.endpoint.logfile')
export class ExternalLogfileProperties {
  @Key(text({ form: /\S/, called: 'the path of a file' }), {
    does: 'File that logfile shows in place of the one of the log, where something else writes it.',
    effect: full,
    defaultText: 'the file of logging.file.name',
  })
  readonly externalFile?: string;
}
