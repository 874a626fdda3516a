import type { Html } from '../../kernel/encoding/html.js';
import { type PageContent, type PageNeeds, View, type ViewContext } from '../../platform/http/page/view.js';
import { type Messages, messagesOf } from './messages.js';

/** Context of a page: its user, the service, and all texts in the language of the user. */
export interface PageContext extends ViewContext {
  readonly t: Messages;
}

/** A piece of a page in the language of its reader. */
export type PagePart = (context: PageContext) => Html;

/** A page with texts of the catalogue. */
export function pageView(compose: (context: PageContext) => PageContent, needs?: PageNeeds): View {
  return new View((context) => compose({ ...context, t: messagesOf(context.language) }), needs);
}
