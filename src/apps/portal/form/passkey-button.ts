import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import { focus, hidden } from './forms.js';

/** Paths below the context path from which the script of the pages fetches the options of a ceremony. */
const OPTIONS_PATHS = {
  get: '/2fa/passkeys/assertion/options',
  create: '/2fa/passkeys/registration/options',
  signIn: '/login/passkey/options',
} as const;

interface PasskeyButton {
  readonly label: string;
  /** The function of `navigator.credentials` that the script calls: `get` uses a passkey, `create` creates one. */
  readonly ceremony: 'get' | 'create';
  /** Options of the ceremony; if absent, the script fetches them. */
  readonly options?: object;
  /** True on the sign-in page, where the passkey names the account. */
  readonly isSignIn?: boolean;
  /** True if the browser may also suggest passkeys in the field of the username. */
  readonly isSuggested?: boolean;
  /** Shown above the button, and hidden with it. */
  readonly content?: Html;
  readonly isFocused?: boolean;
  /** True if the act cannot be undone. */
  readonly isDangerous?: boolean;
}

/**
 * A part of a form that fills in its field `credential` by a passkey and sends it; hidden until the script, which the view
 * must load (`passkeys: true`), has found that the browser knows passkeys. A form that arrives without `credential` asks for
 * the reason for which the script got no options.
 */
export function passkeyButton(
  { t, contextPath }: PageContext,
  {
    label,
    ceremony,
    options,
    content,
    isFocused = false,
    isDangerous = false,
    isSignIn = false,
    isSuggested = false,
  }: PasskeyButton,
): Html {
  const optionsAttribute = options
    ? html` data-options="${JSON.stringify(options)}"`
    : html` data-options-from="${contextPath}${OPTIONS_PATHS[isSignIn ? 'signIn' : ceremony]}"`;
  const kind = isDangerous ? 'danger' : 'primary';
  const { cancelled, known, failed } = t.passkey;
  return html`<div data-passkey="${ceremony}"${optionsAttribute} data-cancelled="${cancelled}" data-known="${known}" data-failed="${failed}" ${isSuggested ? html` data-suggested` : undefined} hidden>
${hidden('credential', '')}<p class="note bad" role="alert" tabindex="-1" hidden></p>
${content}<p class="actions"><button type="submit"${isSignIn ? undefined : html` class="${kind}"`}${focus(isFocused)}>${label}</button></p>
</div>
`;
}

/** Text in place of the buttons for browsers without passkeys; `isOnlyWay` if the page offers no other way. */
export function withoutPasskeys({ t }: PageContext, isOnlyWay: boolean): Html {
  const { noScript, noSupport, turnOnScript, otherBrowser } = t.passkey;
  return html`<noscript><p>${noScript}${isOnlyWay ? ` ${turnOnScript}` : undefined}</p></noscript>
<p data-no-passkeys hidden>${noSupport}${isOnlyWay ? ` ${otherBrowser}` : undefined}</p>
`;
}
