import { type Markup, markup } from '../server/markup.js';
import { htmlPage } from '../server/page.js';
import { button, form, type FormFacts, hidden } from './forms.js';

interface CodeFacts extends FormFacts {
  readonly alert?: Markup;
}

const SETUP_TITLE = 'Set up the second factor';

interface VerifyFacts extends CodeFacts {
  /** When the session had proved the second factor before, in epoch seconds; 0 where it had not. */
  readonly proved: string;
}

/** `GET /2fa/portal/verify`. */
export function verifyPage({ alert, proved, ...facts }: VerifyFacts): string {
  const told = markup`<p id="told">Enter the six digits that your authenticator app shows, or one of your backup codes.</p>
`;
  return htmlPage('Second factor', markup`${alert}${told}${codeForm(facts, 'Continue', hidden('proved', proved))}`);
}

interface BeginFacts extends FormFacts {
  /** Where a secret that was shown before is confirmed. */
  readonly confirmPath: string;
  /** One that waits for that, until epoch seconds; `isOwn` where this caller can do it. */
  readonly pending: { readonly until: number; readonly isOwn: boolean } | undefined;
  readonly alert?: Markup;
}

/** `GET /2fa/portal/setup`: nothing is made before the button is pressed, or replaced without a warning. */
export function setupPage({ alert, confirmPath, pending, ...facts }: BeginFacts): string {
  if (pending === undefined) {
    const told = markup`<p>You need an authenticator app on your phone. Its secret and ten backup codes are shown once, on the
next page: have the app at hand.</p>
`;
    return htmlPage(SETUP_TITLE, markup`${alert}${told}${form(facts, button('Begin'))}`);
  }
  const way = pending.isOwn
    ? markup` If your app has it, <a href="${confirmPath}">confirm it</a>.`
    : ' That can be done in no other login than the one it was shown to.';
  const warning = markup`<p><strong>A secret was shown before and waits to be confirmed.</strong>${way} Beginning again makes
that secret and its backup codes useless: remove it from your app then.</p>
`;
  const again = markup`${hidden('replaces', String(pending.until))}${button('Begin again')}`;
  return htmlPage(SETUP_TITLE, markup`${alert}${warning}${form(facts, again)}`);
}

/** Where a user proves again who they are. */
export interface ProofWay {
  /** Text of the link. */
  readonly label: string;
  readonly path: string;
}

/** Instead of a secret, for a login that is not fresh. */
export function proveAgainPage(alert: Markup, way: ProofWay | undefined): string {
  const link =
    way &&
    markup`<p><a href="${way.path}">${way.label}</a></p>
`;
  return htmlPage(SETUP_TITLE, markup`${alert}${link}`);
}

interface ShownOnce {
  /** `data:image/svg+xml;base64,…` */
  readonly qr: string;
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** What `POST /2fa/portal/setup` shows, once. */
export function secretPage(facts: FormFacts, { qr, secret, backupCodes }: ShownOnce): string {
  return htmlPage(
    SETUP_TITLE,
    markup`<p>This page is shown once: do not leave or reload it before you are done.</p>
<h2>1. Take the secret into your authenticator app</h2>
<p><img src="${qr}" alt="QR code of the secret" width="240" height="240"></p>
<p>Or type it in: <code id="secret">${secret}</code></p>
<h2>2. Keep the backup codes</h2>
<p>Each opens one login when your phone is not at hand. They count as soon as the app is confirmed.</p>
<ul id="backup-codes">
${backupCodes.map(
  (code) => markup`<li><code>${code}</code></li>
`,
)}</ul>
<h2>3. Confirm the app</h2>
<p id="told">The six digits that the app shows now.</p>
${codeForm(facts, 'Confirm')}`,
  );
}

/** `GET /2fa/portal/confirm`: for a secret that the app has. */
export function confirmPage({ alert, setupPath, ...facts }: CodeFacts & { readonly setupPath: string }): string {
  const told = markup`<p id="told">The six digits that your authenticator app shows now for the secret you have just taken.</p>
`;
  const back = markup`<p><a href="${setupPath}">Begin again with another secret</a></p>
`;
  return htmlPage('Confirm the authenticator app', markup`${alert}${told}${codeForm(facts, 'Confirm')}${back}`);
}

function codeForm(facts: FormFacts, label: string, more?: Markup): Markup {
  return form(
    facts,
    markup`${more}<p><label for="code">Code</label><br>
<input id="code" name="code" maxlength="64" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" \
aria-describedby="told" required></p>
${button(label)}`,
  );
}
