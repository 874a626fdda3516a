import { ACCOUNT_PAGES, SECOND_FACTOR_PAGES } from '../../auth/page-paths.js';
import { type Html, html } from '../../encoding/html.js';
import { type PageContext, View } from '../../http/page/view.js';
import { LANGUAGES, messagesOf } from '../../messages/messages.js';
import { browserNameOf } from '../../notices/browser-name.js';
import { button, buttonLink, form, type FormFields, hidden, note, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import type { Done } from './account.schema.js';

/** A session of the user. */
export interface ShownSession {
  readonly id: string;
  readonly agent: string | undefined;
  readonly ip: string | undefined;
  readonly lastUsedAt: number;
  readonly isCurrent: boolean;
}

/** A browser in which the user is not asked for a code. */
export interface ShownDevice {
  readonly id: string;
  readonly agent: string | undefined;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

/** Content of the overview; instants are epoch seconds. */
export interface AccountFields {
  readonly navigation: NavigationFields;
  readonly done?: Done;
  readonly secondFactor: {
    readonly isActive: boolean;
    readonly activatedAt?: number;
    readonly codesLeft: number;
    readonly isLow: boolean;
    /** Policy demands it, so the user cannot turn it off. */
    readonly isDemanded: boolean;
    /** The identity provider that checks it, for staff without an authenticator app here. */
    readonly organisation?: string;
  };
  readonly hasPassword: boolean;
  readonly sessions: readonly ShownSession[];
  readonly devices: readonly ShownDevice[];
  readonly forms: {
    readonly endSession: FormFields;
    readonly endDevice: FormFields;
    readonly language: FormFields;
  };
}

/** `GET /portal/security`. */
export function accountPage(fields: AccountFields): View {
  return new View((context) => {
    const { account } = context.t;
    const { done } = fields;
    const told =
      done &&
      html`<div class="note good" role="status"><p>${account.done[done]}</p>
</div>
`;
    return {
      title: account.title,
      navigation: navigation(context, fields.navigation),
      body: html`${told}<div class="panels">
${secondFactorPanel(context, fields)}${passwordPanel(context, fields)}</div>
${sessionsPanel(context, fields)}${devicesPanel(context, fields)}<div class="panels">
${activityPanel(context)}${languagePanel(context, fields)}</div>
`,
    };
  });
}

function panel(id: string, title: string, content: Html): Html {
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}</section>
`;
}

function secondFactorPanel({ t, contextPath, time }: PageContext, { secondFactor }: AccountFields): Html {
  const { account } = t;
  const { isActive, activatedAt, codesLeft, isLow, isDemanded, organisation } = secondFactor;
  const at = (path: string): string => contextPath + path;
  if (!isActive) {
    const text =
      organisation === undefined
        ? html`<p><span class="badge warn">${account.off}</span></p>
${paragraph(account.offText)}`
        : paragraph(account.atOrganisation(organisation));
    const link = buttonLink(at(SECOND_FACTOR_PAGES.enrol), account.setUp, organisation === undefined ? 'primary' : '');
    return panel(
      'second-factor',
      account.secondFactor,
      html`${text}<p class="actions">${link}</p>
`,
    );
  }
  const since =
    activatedAt === undefined
      ? undefined
      : html`<p>${account.onSince}: ${time(activatedAt)}</p>
`;
  const low = isLow ? html` <span class="badge warn">${account.codesLow}</span>` : undefined;
  const off = isDemanded ? undefined : buttonLink(at(ACCOUNT_PAGES.turnOff), account.turnOff);
  return panel(
    'second-factor',
    account.secondFactor,
    html`<p><span class="badge good">${account.on}</span></p>
${since}<p>${account.codesLeft(codesLeft)}${low}</p>
<p class="actions">${buttonLink(at(ACCOUNT_PAGES.backupCodes), account.newCodes)}${buttonLink(at(ACCOUNT_PAGES.replace), account.replace)}${off}</p>
${
  isDemanded
    ? html`<p class="hint">${account.required}</p>
`
    : undefined
}`,
  );
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

function sessionsPanel(context: PageContext, { sessions, forms }: AccountFields): Html {
  const { account } = context.t;
  const rows = sessions.map(({ id, agent, ip, lastUsedAt, isCurrent }) => {
    const mark = isCurrent
      ? html`<span class="badge good">${account.thisSession}</span>`
      : form(forms.endSession, html`${hidden('id', id)}${button(account.endSession)}`);
    const place = ip === undefined ? undefined : html` · ${ip}`;
    return html`<li><div><strong>${browserText(context, agent)}</strong><br>
<span class="quiet small">${account.lastUsed}: ${context.time(lastUsedAt)}${place}</span></div>
${mark}</li>
`;
  });
  const others = sessions.length > 1 ? form(forms.endSession, button(account.endOthers, 'danger')) : undefined;
  return panel(
    'sessions',
    account.sessions,
    html`<ul class="rows">
${rows}</ul>
${
  others &&
  html`<div class="actions">${others}</div>
`
}`,
  );
}

function devicesPanel(context: PageContext, { devices, forms }: AccountFields): Html | undefined {
  if (devices.length === 0) return undefined;
  const { account } = context.t;
  const rows = devices.map(
    ({ id, agent, lastUsedAt, expiresAt }) => html`<li><div><strong>${browserText(context, agent)}</strong><br>
<span class="quiet small">${account.lastUsed}: ${context.time(lastUsedAt)} · ${account.until}: ${context.time(expiresAt)}</span></div>
${form(forms.endDevice, html`${hidden('id', id)}${button(account.forget)}`)}</li>
`,
  );
  return panel(
    'devices',
    account.devices,
    html`${paragraph(account.devicesText)}<ul class="rows">
${rows}</ul>
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

function languagePanel({ t, language }: PageContext, { forms }: AccountFields): Html {
  const options = LANGUAGES.map((each) => {
    const { languageName, tag } = messagesOf(each);
    return html`<option value="${each}" lang="${tag}"${each === language ? html` selected` : undefined}>${languageName}</option>
`;
  });
  return panel(
    'language-panel',
    t.account.language,
    form(
      forms.language,
      html`<div class="field"><label for="language">${t.common.language}</label>
<select id="language" name="language">
${options}</select></div>
<p class="actions">${button(t.common.save)}</p>
`,
    ),
  );
}

/** The browser of a `User-Agent`, in the words of the catalogue. */
export function browserText({ t }: PageContext, agent: string | undefined): string {
  const { browser, system } = browserNameOf(agent ?? '');
  if (browser === undefined) return system ?? t.account.unknownBrowser;
  return system === undefined ? browser : t.account.browserOn(browser, system);
}

/** A note that something on another page is needed first, or is not possible. */
export function accountNotePage(
  nav: NavigationFields,
  title: (t: PageContext['t']) => string,
  text: (t: PageContext['t']) => string,
): View {
  return new View((context) => ({
    title: title(context.t),
    navigation: navigation(context, nav),
    body: note('', paragraph(text(context.t))),
  }));
}
