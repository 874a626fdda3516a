import { notYet } from '../config/effect.js';
import { map, oneOf, text } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

type Level = 'off' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

@Properties('logging')
export class LoggingProperties {
  @Key(map(oneOf('off', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'), 'logger'), {
    does: 'Lowest level that is written by a logger and those below its name; root counts where none is nearer.',
    effect: notYet('F'),
    defaultText: 'root: info',
    // A level is no secret, even that of a logger named token.
    secret: false,
  })
  readonly level: ReadonlyMap<string, Level> = new Map();

  @Key(text(), {
    does: 'File of appenders that replaces the other logging keys, in YAML or JSON, e.g. file:/etc/login/logging.yml.',
    effect: notYet('A', 'XML of other logging engines is refused.'),
  })
  readonly config?: string;
}
