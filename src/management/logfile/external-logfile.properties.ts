import { full } from '../../config/effect.js';
import { text } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

@Properties('management.endpoint.logfile')
export class ExternalLogfileProperties {
  @Key(text({ form: /\S/, called: 'the path of a file' }), {
    does: 'File that logfile shows in place of the one of the log, where something else writes it.',
    effect: full,
    defaultText: 'the file of logging.file.name',
  })
  readonly externalFile?: string;
}
