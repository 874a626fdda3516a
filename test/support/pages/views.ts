import { BrandingProperties } from '../../../src/platform/branding/branding.properties.js';
import { html } from '../../../src/kernel/encoding/html.js';
import type { PageOptions } from '../../../src/platform/http/page/page-renderer.js';
import type { PageContent, View } from '../../../src/platform/http/page/view.js';
import { CATALOGUE } from '../../../src/signin/messages/messages.js';

/** Pages with the texts of the product. */
export const PAGES: PageOptions = { catalogue: CATALOGUE };

/** The content of a page without its layout. */
export function contentOf(view: View, language = 'en', contextPath = '/auth'): PageContent {
  return view.compose({
    language,
    t: CATALOGUE.messagesOf(language),
    contextPath,
    brand: new BrandingProperties(),
    time: (epochSeconds) => html`${new Date(epochSeconds * 1000).toISOString()}`,
  });
}
