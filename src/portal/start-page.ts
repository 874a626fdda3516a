import { SIGN_IN_PAGE } from '../auth/page-paths.js';
import { type Html, html } from '../encoding/html.js';
import { htmlPage, SERVICE_NAME } from '../http/page.js';
import { button, form, type FormFields } from './forms.js';

/** Visitor of the start page. */
export type Visit =
  | { readonly kind: 'stranger'; readonly contextPath: string }
  | {
      readonly kind: 'half';
      /** Where the sign-in is completed. */
      readonly next: string;
      readonly signOut: FormFields;
    }
  | { readonly kind: 'full'; readonly loginId: string; readonly how: string; readonly signOut: FormFields };

/** `GET /`: shows the signed-in user, and how to sign in or out. */
export function startPage(visit: Visit): string {
  return htmlPage(SERVICE_NAME, contentFor(visit));
}

function contentFor(visit: Visit): Html {
  switch (visit.kind) {
    case 'stranger':
      return html`<p>You are not signed in.</p>
<p><a href="${visit.contextPath}${SIGN_IN_PAGE}">Sign in</a></p>
`;
    case 'half':
      return html`<p>Your sign-in is not complete yet. <a href="${visit.next}">Continue</a></p>
${form(visit.signOut, button('Cancel'))}`;
    case 'full':
      return html`<p>You are signed in as <strong>${visit.loginId}</strong>, ${visit.how}.</p>
${form(visit.signOut, button('Sign out'))}`;
  }
}
