import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Html } from '../../../kernel/encoding/html.js';
import type { LayoutMessages } from './message-catalogue.js';

/** An error that a form shows above itself, and what the user had typed. */
export interface FormAnswer {
  readonly code: ErrorCode;
  /** For support. */
  readonly requestId: string;
  /** Seconds until another attempt can succeed. */
  readonly waitSeconds?: number | undefined;
  /** Texts by language that replace the text of the code. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** Id of the field that the error is about. */
  readonly field?: string | undefined;
  /** Values of fields by their names; never a secret. */
  readonly typed?: Readonly<Record<string, string>> | undefined;
}

/** Context of a page: its user and the service. */
export interface ViewContext {
  readonly language: string;
  /** Texts in the language of the reader. */
  readonly t: LayoutMessages;
  readonly contextPath: string;
  readonly brand: {
    readonly name: string;
    readonly helpUrl?: string | undefined;
    readonly helpContact?: string | undefined;
  };
  /** An instant in epoch seconds, as a `time` element. */
  readonly time: (epochSeconds: number) => Html;
  /** Set on a page that shows the error of its form. */
  readonly answer?: FormAnswer | undefined;
}

/** A link of the navigation of signed-in users. */
export interface NavLink {
  readonly path: string;
  readonly label: string;
  readonly isCurrent: boolean;
}

/** Content of a page; the layout adds the rest. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** True if the address of the page contains a secret, so that browsers must not send its path with their requests. */
  readonly hasSecretAddress?: boolean;
  /** Elements to add to the head. */
  readonly head?: Html;
  /** True if the page cannot be opened again, so that it offers no other language. */
  readonly isShownOnce?: boolean;
  /** Present on pages of signed-in users, which are wide; other pages are one card. */
  readonly navigation?: {
    readonly links: readonly NavLink[];
    /** What the user is called. */
    readonly name?: string;
    readonly signOut: Html;
  };
}

/** Features of a page that its Content-Security-Policy must allow. */
export interface PageNeeds {
  /** Origin outside of the service that the form of the page leads to; without it, forms lead to the service only. */
  readonly formTarget?: string;
  /** Origin outside of the service of an image on the page. */
  readonly imageOrigin?: string;
  /** Loads `preview.js`, too, which sends a form and shows the response in place. */
  readonly previews?: boolean;
  /** Loads `strength.js`, too, which asks the service how strong a new password is. */
  readonly newPassword?: boolean;
  /** Loads `passkey.js`, too, which fetches the options of passkeys from the service. */
  readonly passkeys?: boolean;
  /**
   * Path and query at which a GET shows the same page. In the response to a form it takes the place of the form in the history,
   * so that "Back" and a reload do not send the form again (docs/decisions/0117-answers-to-forms.md).
   */
  readonly address?: string;
  /** True if the page at `address` shows all that this one does: a browser without script is led there at once. */
  readonly leadsOn?: boolean;
  /** Set if the page can show the error of its form again: the values that the user had typed, never a secret. */
  readonly typed?: Readonly<Record<string, string>>;
}

/** A page that is still without language and layout: a controller returns it, and the listener renders it. */
export class View {
  constructor(
    readonly compose: (context: ViewContext) => PageContent,
    readonly needs: PageNeeds = {},
    /** The error of the form, in a response to it. */
    readonly answer?: FormAnswer,
  ) {}

  /** The same page, whose form shows an error. */
  answering(answer: FormAnswer): View {
    const whole = { ...answer, typed: answer.typed ?? this.needs.typed };
    return new View((context) => this.compose({ ...context, answer: whole }), this.needs, whole);
  }

  /** The same page, whose answer is kept for an address. */
  at(address: string): View {
    return new View(this.compose, { ...this.needs, address, leadsOn: true }, this.answer);
  }
}
