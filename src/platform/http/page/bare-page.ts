import { html } from '../../../kernel/encoding/html.js';
import { htmlDocument } from './layout.js';
import type { LayoutMessages } from './message-catalogue.js';
import { problemAlert, type ShownProblem, titleOf } from './problem-page.js';
import type { ViewContext } from './view.js';

/**
 * Content-Security-Policy of a page at the host of an application: nothing is loaded, since that host would answer with a script
 * or a style of its own.
 */
export const BARE_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation";

/** An error page without files, for a path of this service at the host of an application; it leads to the application. */
export function barePage(
  problem: ShownProblem,
  context: Omit<ViewContext, 't'> & { readonly t: LayoutMessages },
): string {
  const { t } = context;
  const text = problem.code === 'VALIDATION_FAILED' ? t.problem.ofApplication : undefined;
  const title = titleOf(problem.code, t);
  return htmlDocument(
    html`<meta name="robots" content="noindex">
<title>${title}</title>
`,
    html`<main>
<h1>${title}</h1>
${problemAlert({ ...problem, text }, context)}<p><a href="/">${t.problem.toApplication}</a></p>
</main>
`,
    t.tag,
  );
}
