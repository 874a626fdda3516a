import { notYet } from '../config/effect.js';
import { text } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('logging.pattern')
export class LoggingPatternProperties {
  @Key(text({ form: /\S/, called: 'a pattern such as %d %-5level %logger %msg%n' }), {
    does: 'Form of a console line, of the words %d %level %logger %thread %pid %msg %n %X{key:-default} %ex %clr.',
    effect: notYet('F'),
  })
  readonly console: string = '%d{yyyy-MM-dd HH:mm:ss.SSS} %-5level %pid --- [%thread] %logger{40} : %msg%n%ex';
}
