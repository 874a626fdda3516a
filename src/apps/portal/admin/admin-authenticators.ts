import { adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import { authenticatorFacts, nameOf } from '../account/authenticator-facts.js';

/** Lists the authenticators of a user, each with a link to the page that removes it if it is removable. */
export function authenticatorList(
  context: PageContext,
  subject: string,
  authenticators: readonly Authenticator[],
  isRemovable: (authenticator: Authenticator) => boolean,
): Html | undefined {
  if (authenticators.length === 0) return undefined;
  const rows = authenticators.map(
    (authenticator) => html`<li>${authenticatorFacts(context, authenticator)}
${isRemovable(authenticator) ? removalLink(context, subject, authenticator) : undefined}</li>
`,
  );
  return html`<ul class="rows">
${rows}</ul>
`;
}

function removalLink({ t, contextPath }: PageContext, subject: string, authenticator: Authenticator): Html {
  const path = `${contextPath}${adminUserPath(subject, 'remove-authenticator')}`;
  return html`<a class="button" href="${path}?authenticator=${encodeURIComponent(authenticator.id)}" \
aria-label="${t.authenticators.removeTitle(nameOf(t, authenticator))}">${t.admin.acts['remove-authenticator'].label}</a>`;
}
