import type { MessageCatalogue } from '../../platform/http/page/message-catalogue.js';
import { isLanguage, type Language, LANGUAGES } from '../../identity/account/language.js';
import { en, type Messages } from './en.js';
import { ko } from './ko.js';

export type { Messages } from './en.js';

/** A further language is a file beside `en.ts`, an entry here, and one in `LANGUAGES`. */
const TEXTS: Readonly<Record<Language, Messages>> = { en, ko };

/** @throws RangeError for a language without texts */
export function messagesOf(language: string): Messages {
  if (!isLanguage(language)) throw new RangeError(`there are no texts in the language ${language}`);
  return TEXTS[language];
}

/** The texts for the layout and the error pages of the runtime. */
export const CATALOGUE: MessageCatalogue = { languages: LANGUAGES, messagesOf };
