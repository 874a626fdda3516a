import { html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { pageView } from '../../../signin/messages/page.js';
import { button, buttonLink, form, type FormFields, note, paragraph } from '../form/forms.js';

/** Facts about a locked account that its owner sees. */
export interface LockFacts {
  /** Seconds until attempts are accepted again; undefined if only an administrator can end the lock. */
  readonly waitSeconds: number | undefined;
  /** True if notices of locks are mailed, with a link that ends the lock. */
  readonly isMailed: boolean;
  /** Path on which the user tries again. */
  readonly retry: string;
  /** Path and query of the page. */
  readonly address: string;
  /** The form that ends the unfinished sign-in; absent without one. */
  readonly signOut?: FormFields;
}

/**
 * Page in place of the form for a code while the account is locked; the script counts down the wait that the text
 * states.
 */
export function lockPage({ waitSeconds, isMailed, retry, address, signOut }: LockFacts): View {
  return pageView(
    (context) => {
      const { t, brand } = context;
      const contact = brand.helpContact === undefined ? undefined : paragraph(t.common.contact(brand.helpContact));
      const wait =
        waitSeconds === undefined
          ? html`${paragraph(t.lock.byAdministrator)}${contact}`
          : html`<p>${t.lock.until(waitSeconds)}</p>
<p aria-hidden="true" class="count" data-wait="${waitSeconds}" data-then="retry" hidden></p>
<p class="actions" id="retry">${buttonLink(retry, t.lock.retry, 'primary')}</p>
${isMailed ? paragraph(t.lock.mailed) : undefined}`;
      return {
        title: t.lock.title,
        body: html`${note('bad', paragraph(t.lock.what))}${wait}<p class="hint">${t.lock.notMe}</p>
${
  signOut &&
  html`<div class="links">
${form(signOut, button(t.verify.other, 'plain'))}</div>
`
}`,
      };
    },
    { address },
  );
}
