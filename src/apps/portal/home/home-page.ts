import { ACCOUNT_PAGES, SECOND_FACTOR_PAGES } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, pageView } from '../../../signin/messages/page.js';
import { calledName } from '../../../identity/account/profile.js';
import { button, buttonLink, form, type FormFields, note, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from './navigation.js';
import type { PolicyDate, SecondFactorSummary } from './second-factor-summary.js';

/** Method by which the user signed in. */
export type SignInMethod =
  | { readonly kind: 'password' }
  | { readonly kind: 'totp' }
  | { readonly kind: 'backup_code' }
  | { readonly kind: 'passkey'; readonly isAlone: boolean }
  | { readonly kind: 'idp'; readonly organisation: string; readonly hasSecondFactor: boolean };

/** Content of the home page; instants are epoch seconds. */
export interface HomeFields {
  readonly navigation: NavigationFields;
  readonly loginId: string;
  readonly displayName?: string;
  readonly method: SignInMethod;
  readonly signedInAt?: number;
  readonly secondFactorAt?: number;
  /** The second factor of this account; absent for staff, whose second factor is at their identity provider. */
  readonly secondFactor?: Pick<SecondFactorSummary, 'isActive' | 'codesLeft' | 'isLow' | 'authenticators'>;
  readonly policy?: PolicyDate;
  readonly passkeyPolicy?: PolicyDate;
}

/** `GET /` for a signed-in user: the home page. */
export function homePage(fields: HomeFields): View {
  return pageView((context) => {
    const { t } = context;
    const { policy, passkeyPolicy, secondFactor } = fields;
    const countdown =
      policy &&
      countdownNote(context, policy, t.home.policyFrom(policy.days), {
        path: SECOND_FACTOR_PAGES.enrol,
        label: t.home.setUp,
      });
    const passkeyCountdown =
      passkeyPolicy &&
      countdownNote(context, passkeyPolicy, t.home.passkeyFrom(passkeyPolicy.days), {
        path: secondFactor?.isActive === true ? ACCOUNT_PAGES.security : SECOND_FACTOR_PAGES.enrol,
        label: t.account.addPasskey,
      });
    return {
      title: t.home.title(calledName(fields)),
      navigation: navigation(context, fields.navigation),
      body: html`${lostNote(context, fields)}${countdown}${passkeyCountdown}<div class="panels">
${signInPanel(context, fields)}${securityPanel(context, fields)}</div>
`,
    };
  });
}

/** Note about a factor that policy will require, with a link to its setup. */
function countdownNote(
  { t, time, contextPath }: PageContext,
  { from }: PolicyDate,
  text: string,
  { path, label }: { readonly path: string; readonly label: string },
): Html {
  return note(
    'warn',
    html`${paragraph(text)}<p>${t.home.policyDate}: ${time(from)}</p>
<p><a href="${contextPath}${path}">${label}</a></p>
`,
  );
}

/** After a sign-in by a backup code: the phone may be lost, and with it the apps and passkeys there. */
function lostNote({ t, contextPath }: PageContext, { method, secondFactor }: HomeFields): Html | undefined {
  if (method.kind !== 'backup_code' || secondFactor?.isActive !== true) return undefined;
  const { home } = t;
  const { authenticators, codesLeft } = secondFactor;
  const hasApp = authenticators.some(({ type }) => type === 'totp');
  const replace = hasApp
    ? html`<li><a href="${contextPath}${ACCOUNT_PAGES.replace}">${home.replacePhone}</a></li>
`
    : undefined;
  return note(
    'warn',
    html`<p>${home.usedBackupCode} ${t.account.codesLeft(codesLeft)}.</p>
<ul>
${replace}<li><a href="${contextPath}${ACCOUNT_PAGES.security}">${home.removeLost}</a></li>
</ul>
`,
  );
}

function signInPanel({ t, time }: PageContext, { loginId, method, signedInAt, secondFactorAt }: HomeFields): Html {
  const row = (label: string, value: Html | string): Html => html`<dt>${label}</dt><dd>${value}</dd>
`;
  return html`<section class="panel" aria-labelledby="sign-in">
<h2 id="sign-in">${t.home.account}</h2>
<dl class="facts">
${row(t.home.signedInAs, html`<strong>${loginId}</strong>`)}${row(t.home.how, methodText(t, method))}${
    signedInAt === undefined ? undefined : row(t.home.when, time(signedInAt))
  }${secondFactorAt === undefined ? undefined : row(t.home.secondFactorAt, time(secondFactorAt))}</dl>
</section>
`;
}

function securityPanel({ t, contextPath }: PageContext, { secondFactor }: HomeFields): Html {
  const { home } = t;
  const manage = html`<p class="actions">${buttonLink(`${contextPath}${ACCOUNT_PAGES.security}`, home.manage)}</p>
`;
  const state =
    secondFactor === undefined
      ? undefined
      : secondFactor.isActive
        ? html`<p><span class="badge good">✓</span> ${home.secureActive}</p>
${
  secondFactor.isLow
    ? note(
        'warn',
        html`${paragraph(home.codesLow(secondFactor.codesLeft))}<p><a href="${contextPath}${ACCOUNT_PAGES.backupCodes}">${home.newCodes}</a></p>
`,
      )
    : html`<p>${t.account.codesLeft(secondFactor.codesLeft)}. ${home.codesLost} <a href="${contextPath}${ACCOUNT_PAGES.backupCodes}">${home.newCodes}</a></p>
`
}`
        : html`${paragraph(home.secureNone)}<p class="actions">${buttonLink(`${contextPath}${SECOND_FACTOR_PAGES.enrol}`, home.setUp, 'primary')}</p>
`;
  return html`<section class="panel" aria-labelledby="security">
<h2 id="security">${home.secure}</h2>
${state}${manage}</section>
`;
}

function methodText({ home }: PageContext['t'], method: SignInMethod): string {
  switch (method.kind) {
    case 'password':
      return home.withPassword;
    case 'totp':
      return home.withTotp;
    case 'backup_code':
      return home.withBackupCode;
    case 'passkey':
      return method.isAlone ? home.withPasskeyAlone : home.withPasskey;
    case 'idp':
      return method.hasSecondFactor ? home.throughMfa(method.organisation) : home.through(method.organisation);
  }
}

/** `GET /` for a visitor whose sign-in lacks its second step: a link to that step. */
export function unfinishedPage(loginId: string, path: string, signOut: FormFields): View {
  return pageView(({ t }) => ({
    title: t.home.halfTitle,
    body: html`${paragraph(t.signIn.unfinished(loginId))}${paragraph(t.home.half)}<p class="actions">${buttonLink(path, t.common.continue, 'primary')}</p>
<div class="links">
${form(signOut, button(t.common.cancel, 'plain'))}</div>
`,
  }));
}
