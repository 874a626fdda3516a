import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, pageView } from '../../../signin/messages/page.js';
import type { Account } from '../../../identity/account/account.js';
import { LANGUAGES } from '../../../identity/account/language.js';
import { messagesOf } from '../../../signin/messages/messages.js';
import { button, buttonLink, form, type FormFields, note, panel, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import type { SecondFactorSummary } from '../home/second-factor-summary.js';
import type { Done } from './account.schema.js';
import { secondFactorPanel } from './second-factor-panel.js';
import { devicesPanel, sessionsPanel, type ShownDevice, type ShownSession } from './session-panels.js';

/** Content of the overview; instants are epoch seconds. */
export interface AccountFields {
  readonly navigation: NavigationFields;
  readonly done?: Done;
  readonly profile: Pick<Account, 'loginId' | 'displayName' | 'groups'>;
  readonly secondFactor: SecondFactorSummary;
  readonly hasPassword: boolean;
  /** The language that the user has chosen. */
  readonly language?: string;
  /** Where mails about the account go; absent if the service sends none. */
  readonly mails?: Pick<Account, 'email' | 'emailVerified' | 'kind'>;
  readonly sessions: readonly ShownSession[];
  readonly devices: readonly ShownDevice[];
  readonly forms: {
    readonly endSession: FormFields;
    readonly endDevice: FormFields;
    readonly language: FormFields;
    readonly verifyEmail: FormFields;
  };
}

/** `GET /portal/security`: the overview of account security. */
export function accountPage(fields: AccountFields): View {
  return pageView((context) => {
    const { account } = context.t;
    const { done } = fields;
    const notice =
      done &&
      html`<div class="note good" role="status"><p>${account.done[done]}</p>
</div>
`;
    return {
      title: account.title,
      navigation: navigation(context, fields.navigation),
      body: html`${notice}${secondFactorPanel(context, fields.secondFactor)}${passwordPanel(context, fields)}${sessionsPanel(context, fields.sessions, fields.forms.endSession)}${devicesPanel(context, fields.devices, fields.forms.endDevice)}<div class="panels">
${profilePanel(context, fields)}${activityPanel(context)}${mailsPanel(context, fields)}</div>
`,
    };
  });
}

function passwordPanel({ t, contextPath }: PageContext, { hasPassword }: AccountFields): Html {
  const { account, passwordChange } = t;
  if (!hasPassword) return panel('password', account.password, paragraph(passwordChange.staff));
  const link = buttonLink(contextPath + ACCOUNT_PAGES.password, account.changePassword);
  return panel(
    'password',
    account.password,
    html`${paragraph(account.passwordText)}<p class="actions">${link}</p>
`,
  );
}

function profilePanel({ t }: PageContext, { profile }: AccountFields): Html {
  const { account, admin, common } = t;
  const { loginId, displayName, groups } = profile;
  const row = (label: string, value: string): Html => html`<dt>${label}</dt><dd>${value}</dd>
`;
  return panel(
    'profile',
    account.profile,
    html`<dl class="facts">
${displayName === undefined ? undefined : row(admin.name, displayName)}${row(common.username, loginId)}${
      groups.length === 0 ? undefined : row(admin.groups, groups.join(', '))
    }</dl>
`,
  );
}

function activityPanel({ t, contextPath }: PageContext): Html {
  const { account } = t;
  const link = buttonLink(contextPath + ACCOUNT_PAGES.activity, account.showActivity);
  return panel(
    'activity',
    account.activity,
    html`${paragraph(account.activityText)}<p class="actions">${link}</p>
`,
  );
}

function mailsPanel(context: PageContext, { mails, language = context.language, forms }: AccountFields): Html {
  const { account } = context.t;
  const choice = languageForm(context, forms.language, language);
  if (mails === undefined) return panel('mails', account.language, choice);
  return panel('mails', account.mails, html`${addressPart(context, mails, forms.verifyEmail)}${choice}`);
}

/** The address with its verification; staff change theirs at their identity provider. */
function addressPart(
  { t, contextPath }: PageContext,
  { email, emailVerified, kind }: Pick<Account, 'email' | 'emailVerified' | 'kind'>,
  verification: FormFields,
): Html {
  const { account, admin } = t;
  const [style, state] = emailVerified
    ? (['badge good', admin.verified] as const)
    : (['badge', admin.unverified] as const);
  const address =
    email === undefined
      ? account.noAddress
      : html`${account.mailedTo}: <strong>${email}</strong> <span class="${style}">${state}</span>`;
  const label = email === undefined ? account.addAddress : account.changeAddress;
  const isUnverified = email !== undefined && !emailVerified;
  return html`<p>${address}</p>
${
  isUnverified
    ? form(
        verification,
        html`<p class="actions">${button(account.verifyAddress)}</p>
`,
      )
    : undefined
}${
    kind === 'staff'
      ? html`<p class="hint">${account.addressOfStaff}</p>
`
      : html`<p class="actions">${buttonLink(contextPath + ACCOUNT_PAGES.email, label)}</p>
`
  }`;
}

function languageForm({ t }: PageContext, fields: FormFields, language: string): Html {
  const options = LANGUAGES.map((each) => {
    const { languageName, tag } = messagesOf(each);
    return html`<option value="${each}" lang="${tag}"${each === language ? html` selected` : undefined}>${languageName}</option>
`;
  });
  return form(
    fields,
    html`<div class="field"><label for="language">${t.account.language}</label>
<select id="language" name="language">
${options}</select></div>
<p class="actions">${button(t.common.save)}</p>
`,
  );
}

/** Page with a note that another step is needed first or that the act is not possible, and a link to that step. */
export function accountNotePage(
  nav: NavigationFields,
  title: (t: PageContext['t']) => string,
  text: (t: PageContext['t']) => string,
  link?: { readonly path: string; readonly label: (t: PageContext['t']) => string },
): View {
  return pageView((context) => ({
    title: title(context.t),
    navigation: navigation(context, nav),
    body: html`${note('', paragraph(text(context.t)))}${
      link &&
      html`<p class="actions">${buttonLink(context.contextPath + link.path, link.label(context.t))}</p>
`
    }`,
  }));
}
