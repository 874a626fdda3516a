import { full } from '../../config/effect.js';
import { flag } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

@Properties('app.json.serialization')
export class JsonSerializationProperties {
  @Key(flag(), {
    does: 'Writes dates as milliseconds since 1970 instead of text; a date format (app.json.date-format) wins over it.',
    effect: full,
  })
  readonly writeDatesAsTimestamps: boolean = false;
}
