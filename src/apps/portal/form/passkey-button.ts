import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import { focus, hidden } from './forms.js';

/** Paths below the context path from which the script of the pages fetches the options of a ceremony. */
const OPTIONS_PATHS = {
  get: '/2fa/passkeys/assertion/options',
  create: '/2fa/passkeys/registration/options',
} as const;

interface PasskeyButton {
  readonly label: string;
  /** The function of `navigator.credentials` that the script calls: `get` uses a passkey, `create` creates one. */
  readonly ceremony: keyof typeof OPTIONS_PATHS;
  /** Options of the ceremony; if absent, the script fetches them. */
  readonly options?: object;
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
  { label, ceremony, options, content, isFocused = false, isDangerous = false }: PasskeyButton,
): Html {
  const optionsAttribute = options
    ? html` data-options="${JSON.stringify(options)}"`
    : html` data-options-from="${contextPath}${OPTIONS_PATHS[ceremony]}"`;
  const { cancelled, known, failed } = t.passkey;
  return html`<div data-passkey="${ceremony}"${optionsAttribute} data-cancelled="${cancelled}" data-known="${known}" data-failed="${failed}" hidden>
${hidden('credential', '')}<p class="note bad" role="alert" tabindex="-1" hidden></p>
${content}<p class="actions"><button type="submit" class="${isDangerous ? 'danger' : 'primary'}"${focus(isFocused)}>${label}</button></p>
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
