import { adminUserPath } from '../../auth/page-paths.js';
import { type Html, html } from '../../encoding/html.js';
import type { PageContext } from '../../http/page/view.js';
import type { Messages } from '../../messages/messages.js';
import type { Authenticator } from '../../second-factor/second-factor.js';

/** The authenticators of a user; a link to the page that removes it is beside each if `isRemovable`. */
export function authenticatorList(
  context: PageContext,
  subject: string,
  authenticators: readonly Authenticator[],
  { isRemovable }: { readonly isRemovable: boolean },
): Html | undefined {
  if (authenticators.length === 0) return undefined;
  const rows = authenticators.map(
    (authenticator) => html`<li>${authenticatorFacts(context, authenticator)}
${isRemovable ? removalLink(context, subject, authenticator) : undefined}</li>
`,
  );
  return html`<ul class="rows">
${rows}</ul>
`;
}

/** Name, type and times of an authenticator. */
export function authenticatorFacts({ t, time }: PageContext, authenticator: Authenticator): Html {
  const { type, name, createdAt, lastUsedAt, isSynced } = authenticator;
  const texts = t.admin.authenticators;
  const facts = [
    ...(name === undefined ? [] : [texts.types[type]]),
    ...(isSynced === undefined ? [] : [isSynced ? texts.synced : texts.bound]),
  ];
  const kind = facts.length === 0 ? undefined : html`${facts.join(' · ')}<br>`;
  const used = lastUsedAt === undefined ? texts.unused : html`${t.account.lastUsed}: ${time(lastUsedAt)}`;
  return html`<div><strong>${nameOf(t, authenticator)}</strong><br>
<span class="quiet small">${kind}${texts.added}: ${time(createdAt)} · ${used}</span></div>`;
}

function nameOf({ admin }: Messages, { name, type }: Authenticator): string {
  return name ?? admin.authenticators.types[type];
}

function removalLink({ t, contextPath }: PageContext, subject: string, authenticator: Authenticator): Html {
  const path = `${contextPath}${adminUserPath(subject, 'remove-authenticator')}`;
  return html`<a class="button" href="${path}?authenticator=${encodeURIComponent(authenticator.id)}" \
aria-label="${t.admin.authenticators.remove(nameOf(t, authenticator))}">${t.admin.acts['remove-authenticator'].label}</a>`;
}
