/** English: the reference for all other languages. A text with parts is a function of them. */
export const en = {
  /** BCP 47 tag of the language, for `lang` attributes and for the formats of `Intl`. */
  tag: 'en',
  /** Name of the language in itself. */
  languageName: 'English',
};
