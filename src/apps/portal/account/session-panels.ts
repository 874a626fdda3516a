import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';
import { browserNameOf } from '../../notices/browser-name.js';
import { button, form, type FormFields, hidden, panel, paragraph } from '../form/forms.js';

/** A session of the user. */
export interface ShownSession {
  readonly id: string;
  /** The application that has opened it; missing for a session of a browser. */
  readonly application?: string;
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

/** The sessions of the user, each with a button to end it. */
export function sessionsPanel(context: PageContext, sessions: readonly ShownSession[], end: FormFields): Html {
  const { account } = context.t;
  const rows = sessions.map(({ id, application, agent, ip, lastUsedAt, isCurrent }) => {
    const mark = isCurrent
      ? html`<span class="badge good">${account.thisSession}</span>`
      : form(end, html`${hidden('id', id)}${button(account.endSession)}`);
    const place = ip === undefined ? undefined : html` · ${ip}`;
    return html`<li><div><strong>${sessionText(context, application, agent)}</strong><br>
<span class="quiet small">${account.lastUsed}: ${context.time(lastUsedAt)}${place}</span></div>
${mark}</li>
`;
  });
  const others = sessions.length > 1 ? form(end, button(account.endOthers, 'danger')) : undefined;
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

/** The trusted browsers of the user; undefined without any. */
export function devicesPanel(context: PageContext, devices: readonly ShownDevice[], end: FormFields): Html | undefined {
  if (devices.length === 0) return undefined;
  const { account } = context.t;
  const rows = devices.map(
    ({ id, agent, lastUsedAt, expiresAt }) => html`<li><div><strong>${browserText(context, agent)}</strong><br>
<span class="quiet small">${account.lastUsed}: ${context.time(lastUsedAt)} · ${account.until}: ${context.time(expiresAt)}</span></div>
${form(end, html`${hidden('id', id)}${button(account.forget)}`)}</li>
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

/** Names the application of a session and the browser that it belongs to. */
export function sessionText(context: PageContext, application: string | undefined, agent: string | undefined): string {
  const browser = browserText(context, agent);
  return application === undefined ? browser : `${application} · ${browser}`;
}

/** Names the browser and operating system of a `User-Agent` in the language of the page. */
export function browserText({ t }: PageContext, agent: string | undefined): string {
  const { browser, system } = browserNameOf(agent ?? '');
  if (browser === undefined) return system ?? t.account.unknownBrowser;
  return system === undefined ? browser : t.account.browserOn(browser, system);
}
