import type { Html } from '../../../kernel/encoding/html.js';
import type { LayoutMessages } from './message-catalogue.js';

/** What a page knows about its reader and its service. */
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
}

/** A link of the navigation of signed-in users. */
export interface NavLink {
  readonly path: string;
  readonly label: string;
  readonly isCurrent: boolean;
}

/** What a page shows; the layout adds the rest. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** The address of the page has a secret, so browsers send no path of it with their requests. */
  readonly hasSecretAddress?: boolean;
  /** Added to the head. */
  readonly head?: Html;
  /** The page cannot be opened again, so it offers no other language. */
  readonly isShownOnce?: boolean;
  /** Present on pages of signed-in users, which are wide; other pages are one card. */
  readonly navigation?: { readonly links: readonly NavLink[]; readonly signOut: Html };
}

/** Features of a page that its Content-Security-Policy must allow. */
export interface PageNeeds {
  /** Where the form of the page leads, if it leaves the service; otherwise forms lead to the service only. */
  readonly formTarget?: string;
  /** Loads `preview.js`, too, which sends a form and shows the response in place. */
  readonly previews?: boolean;
  /** Loads `passkey.js`, too, which fetches the options of passkeys from the service. */
  readonly passkeys?: boolean;
}

/** A page that is still without language and layout: a controller returns it, and the listener renders it. */
export class View {
  constructor(
    readonly compose: (context: ViewContext) => PageContent,
    readonly needs: PageNeeds = {},
  ) {}
}
