import { type Html, html } from '../encoding/html.js';
import { htmlPage } from '../http/page.js';
import { button, form, type FormFields, hidden } from './forms.js';

interface CodeFacts extends FormFields {
  readonly alert?: Html;
}

const SETUP_TITLE = 'Set up the second factor';

interface VerifyFacts extends CodeFacts {
  /** When the session last proved the second factor, in epoch seconds; 0 without a proof. */
  readonly proved: string;
}

/** `GET /2fa/portal/verify`. */
export function verifyPage({ alert, proved, ...facts }: VerifyFacts): string {
  const told = html`<p id="told">Enter the six digits that your authenticator app shows, or one of your backup codes.</p>
`;
  return htmlPage('Second factor', html`${alert}${told}${codeForm(facts, 'Continue', hidden('proved', proved))}`);
}

interface BeginFacts extends FormFields {
  /** Pending secret of another login of the user, and its expiry in epoch seconds. */
  readonly pending: { readonly until: number } | undefined;
  readonly alert?: Html;
}

/** `GET /2fa/portal/setup`: creates nothing before the button is pressed, and replaces nothing without a warning. */
export function setupPage({ alert, pending, ...facts }: BeginFacts): string {
  if (pending === undefined) {
    const told = html`<p>You need an authenticator app on your phone. The next page shows a QR code for it and ten backup
codes.</p>
`;
    return htmlPage(SETUP_TITLE, html`${alert}${told}${form(facts, button('Begin'))}`);
  }
  const warning = html`<p><strong>Another sign-in of yours has begun this setup.</strong> It can be finished there only. If
you begin again here, the QR code and the backup codes shown there stop working: remove that entry from your app.</p>
`;
  const again = html`${hidden('replaces', String(pending.until))}${button('Begin again')}`;
  return htmlPage(SETUP_TITLE, html`${alert}${warning}${form(facts, again)}`);
}

/** Link to a page on which the user authenticates again. */
export interface ReauthenticationLink {
  /** Text of the link. */
  readonly label: string;
  readonly path: string;
}

/** Shown in place of the secret to a login that is not recent. */
export function proveAgainPage(alert: Html, link: ReauthenticationLink | undefined): string {
  return htmlPage(SETUP_TITLE, html`${alert}${link && linkTo(link)}`);
}

/** `GET /2fa/portal/verify` for a user whose second factor is at the identity provider only. */
export function proveElsewherePage(link: ReauthenticationLink): string {
  const told = html`<p>You have no authenticator app here. Prove your second factor at your organisation to continue.</p>
`;
  return htmlPage('Second factor', html`${told}${linkTo(link)}`);
}

function linkTo({ path, label }: ReauthenticationLink): Html {
  return html`<p><a href="${path}">${label}</a></p>
`;
}

interface Shown {
  /** `data:image/svg+xml;base64,…` */
  readonly qr: string;
  readonly secret: string;
  /** Present only in the response that created them. */
  readonly backupCodes?: readonly string[];
}

/** Shows the pending secret; `renew` is the form for new backup codes. */
export function secretPage(
  { alert, ...facts }: CodeFacts,
  { qr, secret, backupCodes }: Shown,
  renew?: FormFields,
): string {
  return htmlPage(
    SETUP_TITLE,
    html`${alert}<h2>1. Scan this QR code with your authenticator app</h2>
<p><img src="${qr}" alt="QR code of the secret" width="240" height="240"></p>
<p>Or type this key into the app: <code id="secret">${secret}</code></p>
<h2>2. Keep the backup codes</h2>
${backupCodes ? codeList(backupCodes) : undefined}${renew && renewal(renew)}<h2>3. Confirm the app</h2>
<p id="told">Enter the six digits that the app shows now.</p>
${codeForm(facts, 'Confirm')}`,
  );
}

function codeList(backupCodes: readonly string[]): Html {
  return html`<p>Use one of these if you lose your phone. Each works once, after you finish setup. They replace any codes that
you have seen before.</p>
<ul id="backup-codes">
${backupCodes.map(
  (code) => html`<li><code>${code}</code></li>
`,
)}</ul>
`;
}

function renewal(facts: FormFields): Html {
  return html`<p>Your backup codes have been shown already. If you did not keep them, get new ones: the earlier ones stop
working then.</p>
${form(facts, button('Show new backup codes'))}`;
}

/** The form for the code of a secret that is not shown again. */
export function confirmPage({ alert, ...facts }: CodeFacts): string {
  const told = html`<p id="told">Enter the six digits that your authenticator app shows now.</p>
`;
  return htmlPage('Confirm the authenticator app', html`${alert}${told}${codeForm(facts, 'Confirm')}`);
}

function codeForm(facts: FormFields, label: string, more?: Html): Html {
  return form(
    facts,
    html`${more}<p><label for="code">Code</label><br>
<input id="code" name="code" maxlength="64" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" \
aria-describedby="told" required></p>
${button(label)}`,
  );
}
