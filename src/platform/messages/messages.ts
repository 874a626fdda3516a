import Negotiator from 'negotiator';
import { en, type Messages } from './en.js';
import { ko } from './ko.js';
import { isLanguage, type Language } from './language.js';

export type { Messages } from './en.js';
export { isLanguage, type Language, LANGUAGES } from './language.js';

/** The catalogue: a further language is a file beside `en.ts`, an entry here, and one in `language.ts`. */
const CATALOGUE: Readonly<Record<Language, Messages>> = { en, ko };

export function messagesOf(language: Language): Messages {
  return CATALOGUE[language];
}

/** The language that `Accept-Language` prefers (RFC 9110 section 12.5.4); undefined if there is none of ours. */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  if (header === undefined) return undefined;
  const wanted = new Negotiator({ headers: { 'accept-language': header } }).languages();
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]).find(isLanguage);
}
