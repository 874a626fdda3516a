import Negotiator from 'negotiator';
import { en, type Messages } from './en.js';
import { ko } from './ko.js';

export type { Messages } from './en.js';

/** The catalogue: a further language is a file beside `en.ts` and an entry here. */
const CATALOGUE = { en, ko } satisfies Readonly<Record<string, Messages>>;

export type Language = keyof typeof CATALOGUE;

/** The languages that users can choose. */
export const LANGUAGES = Object.keys(CATALOGUE) as readonly Language[];

export function messagesOf(language: Language): Messages {
  return CATALOGUE[language];
}

export function isLanguage(text: string | null | undefined): text is Language {
  return text !== undefined && text !== null && Object.hasOwn(CATALOGUE, text);
}

/** The language that `Accept-Language` prefers (RFC 9110 section 12.5.4); undefined if there is none of ours. */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  if (header === undefined) return undefined;
  const wanted = new Negotiator({ headers: { 'accept-language': header } }).languages();
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]).find(isLanguage);
}
