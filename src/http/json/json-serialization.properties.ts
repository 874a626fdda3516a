import { full } from '../../config/bind/effect.js';
import { flag } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.json.serialization')
export class JsonSerializationProperties {
  @Key(flag(), {
    does: 'Writes dates as milliseconds since 1970 instead of text; a date format (app.json.date-format) wins over it.',
    effect: full,
  })
  readonly writeDatesAsTimestamps: boolean = false;
}
