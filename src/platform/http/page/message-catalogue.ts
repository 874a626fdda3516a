import type { ErrorCode } from '../../../kernel/errors/error-code.js';

/** Texts of the layout and of error pages, in one language. */
export interface LayoutMessages {
  /** BCP 47 tag of the language, for `lang` attributes and for the formats of `Intl`. */
  readonly tag: string;
  /** Name of the language in itself. */
  readonly languageName: string;
  readonly common: {
    readonly skip: string;
    readonly navigation: string;
    readonly language: string;
    readonly help: string;
    readonly signIn: string;
    readonly reference: (code: string, requestId: string) => string;
    readonly tryAgainIn: (seconds: number) => string;
    /** For a page that the browser requests again by itself. */
    readonly triesAgainIn: (seconds: number) => string;
  };
  /** Texts for users about each error code: what happened, and what to do now. */
  readonly errors: Readonly<Record<ErrorCode, string>>;
  readonly problem: {
    readonly title: string;
    readonly titleNotFound: string;
    readonly titleSignIn: string;
    readonly titleDenied: string;
    readonly titleLocked: string;
    readonly toHome: string;
    /** A sign-in to an application that cannot go on, and the link that begins it again. */
    readonly ofApplication: string;
    readonly toApplication: string;
  };
}

/** The languages of the product and its texts in each of them; the first language is the default. */
export interface MessageCatalogue {
  readonly languages: readonly [string, ...string[]];
  readonly messagesOf: (language: string) => LayoutMessages;
}
