import { notYet } from '../config/effect.js';
import { text } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('logging.file')
export class LoggingFileProperties {
  @Key(text({ form: /\S/, called: 'the path of a file' }), {
    does: 'File the log is written to besides the console; an absolute path does not depend on the working folder.',
    effect: notYet('F'),
    defaultText: 'none: console only',
  })
  readonly name?: string;
}
