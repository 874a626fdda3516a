import { full } from '../../config/bind/effect.js';
import { oneOf } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { type Language, LANGUAGES } from '../../identity/account/language.js';

@Properties('app.messages')
export class MessagesProperties {
  @Key(oneOf(...LANGUAGES), {
    does: 'Language of pages and mails for users who have not chosen one and whose browser prefers none of them.',
    effect: full,
  })
  readonly defaultLanguage: Language = 'en';
}
