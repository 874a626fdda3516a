import { html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { pageView } from '../../../signin/messages/page.js';
import { buttonLink, form, type FormFields, paragraph, submitButton } from '../form/forms.js';

/** `GET /portal/logout`: asks a user whom an application wants to sign out. */
export function signOutPage(
  signOut: FormFields,
  { contextPath, isKept }: { readonly contextPath: string; readonly isKept: boolean },
): View {
  return pageView(({ t }) => ({
    title: t.signedOut.ask,
    body: html`${paragraph(t.signedOut.askText)}${isKept ? paragraph(t.signedOut.askKept) : undefined}${form(signOut, submitButton(t.common.signOut))}
<div class="links">${buttonLink(`${contextPath}/`, t.common.cancel)}</div>
`,
  }));
}
