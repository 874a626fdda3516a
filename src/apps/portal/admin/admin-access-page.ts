import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PageContext } from '../../../signin/messages/page.js';
import { browserText, sessionText, type ShownDevice, type ShownSession } from '../account/session-panels.js';
import { button, form, hidden, panel, paragraph } from '../form/forms.js';
import { type UserFrameFields, userView } from './admin-user-frame.js';

/** Content of the page with the browsers of a user. */
export interface UserAccessFields extends UserFrameFields {
  readonly sessions: readonly ShownSession[];
  readonly devices: readonly ShownDevice[];
}

/** `GET /portal/admin/users/{sub}/access`: sessions and trusted browsers, which administrators can end. */
export function userAccessPage(fields: UserAccessFields): View {
  return userView(
    fields,
    'access',
    (context) => html`<div class="panels">
${sessionsPanel(context, fields)}${devicesPanel(context, fields)}</div>
`,
  );
}

function sessionsPanel(context: PageContext, { sessions, isAdministrator, formFor }: UserAccessFields): Html {
  const { admin, account } = context.t;
  const rows = sessions.map(({ id, application, agent, ip, lastUsedAt }) => {
    const place = ip === undefined ? undefined : html` · ${ip}`;
    return row(
      sessionText(context, application, agent),
      html`${account.lastUsed}: ${context.time(lastUsedAt)}${place}`,
      isAdministrator
        ? form(formFor('end-session'), html`${hidden('id', id)}${button(account.endSession)}`)
        : undefined,
    );
  });
  const all =
    isAdministrator && sessions.length > 1
      ? html`<div class="actions">${form(formFor('end-session'), button(admin.endAll, 'danger'))}</div>
`
      : undefined;
  return panel('sessions', admin.sessions, html`${list(context, rows)}${all}`);
}

function devicesPanel(context: PageContext, { devices, isAdministrator, formFor }: UserAccessFields): Html {
  const { account } = context.t;
  const rows = devices.map(({ id, agent, expiresAt }) =>
    row(
      browserText(context, agent),
      html`${account.until}: ${context.time(expiresAt)}`,
      isAdministrator ? form(formFor('end-device'), html`${hidden('id', id)}${button(account.forget)}`) : undefined,
    ),
  );
  return panel('devices', account.devices, list(context, rows));
}

function row(name: string, facts: Html, act: Html | undefined): Html {
  return html`<li><div><strong>${name}</strong><br>
<span class="quiet small">${facts}</span></div>
${act}</li>
`;
}

function list({ t }: PageContext, rows: readonly Html[]): Html {
  return rows.length === 0
    ? paragraph(t.admin.none)
    : html`<ul class="rows">
${rows}</ul>
`;
}
