/** The languages that users can choose; each has its texts in `signin/messages`. */
export const LANGUAGES = ['en', 'ko'] as const;

export type Language = (typeof LANGUAGES)[number];

export function isLanguage(text: string | null | undefined): text is Language {
  return (LANGUAGES as readonly unknown[]).includes(text);
}
