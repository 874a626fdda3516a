import { notYet } from '../../config/effect.js';
import { flag, text } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

@Properties('server.servlet.encoding')
export class EncodingProperties {
  @Key(text({ form: /^[a-z\d][\w.:+-]*$/i, called: 'the name of a character set such as UTF-8' }), {
    does: 'Character set of request bodies that state none, and of text in answers.',
    effect: notYet('F'),
  })
  readonly charset: string = 'UTF-8';

  @Key(flag(), {
    does: 'Whether the character set counts even where the caller states another, and is named in every answer.',
    effect: notYet('F'),
    defaultText: 'true for requests, false for answers',
  })
  readonly force?: boolean;
}
