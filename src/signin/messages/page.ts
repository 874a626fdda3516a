import type { Html } from '../../kernel/encoding/html.js';
import { type PageContent, type PageNeeds, View, type ViewContext } from '../../platform/http/page/view.js';
import { type Messages, messagesOf } from './messages.js';

/** What a page knows about its reader and its service, with all texts in the language of the reader. */
export interface PageContext extends ViewContext {
  readonly t: Messages;
}

/** A piece of a page in the language of its reader. */
export type PagePart = (context: PageContext) => Html;

/** A page with texts of the catalogue. */
export function pageView(compose: (context: PageContext) => PageContent, needs?: PageNeeds): View {
  return new View((context) => compose({ ...context, t: messagesOf(context.language) }), needs);
}
