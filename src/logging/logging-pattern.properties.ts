import { full } from '../config/bind/effect.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { logPattern } from './pattern/log-pattern.js';

@Properties('logging.pattern')
export class LoggingPatternProperties {
  @Key(logPattern, {
    does: 'Form of a console line, of the words %d %level %logger %thread %pid %msg %n %X{key:-default} %ex %clr.',
    effect: full,
  })
  readonly console: string = '%d{yyyy-MM-dd HH:mm:ss.SSSXXX} %-5level %pid --- [%thread] %logger{40} : %msg%n%ex';

  @Key(logPattern, {
    does: 'Form of a line in the log file, of the words of logging.pattern.console.',
    effect: full,
    defaultText: 'same as logging.pattern.console',
  })
  readonly file?: string;
}
