import { full, near } from '../../config/bind/effect.js';
import { text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

/** Its archives have the day and a number behind its name. */
const path = text({ form: /^(?!.*%[di])(?=.*\S)/s, called: 'the path of a file or folder, without %d and %i' });

@Properties('logging.file')
export class LoggingFileProperties {
  @Key(path, {
    does:
      'File the log is written to besides the console, made with its folder where it is missing; an absolute path does ' +
      'not depend on the working folder. Where it cannot be written, the service goes on and a warning says so.',
    effect: full,
    defaultText: 'none: console only',
  })
  readonly name?: string;

  @Key(path, {
    does: 'Folder of the log file, for those who do not mind its name; logging.file.name comes before it.',
    effect: near('The file is called login-service.log.'),
    defaultText: 'none: console only',
  })
  readonly path?: string;
}
