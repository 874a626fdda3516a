import { BrandingProperties } from '../../../src/platform/branding/branding.properties.js';
import { html } from '../../../src/kernel/encoding/html.js';
import type { PageContent, PageContext, View } from '../../../src/platform/http/page/view.js';
import { type Language, messagesOf } from '../../../src/platform/messages/messages.js';

/** The content of a page without its layout. */
export function contentOf(view: View, language: Language = 'en', contextPath = '/auth'): PageContent {
  const context: PageContext = {
    language,
    t: messagesOf(language),
    contextPath,
    brand: new BrandingProperties(),
    time: (epochSeconds) => html`${new Date(epochSeconds * 1000).toISOString()}`,
  };
  return view.compose(context);
}
