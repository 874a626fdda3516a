import { ADMIN_PAGES, adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import { buttonLink, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { browserText } from '../account/session-panels.js';
import { eventText } from '../account/activity-page.js';
import { adminLinks } from './admin-users-page.js';

/** A security event of any account; `at` is in epoch seconds. */
export interface AdminEvent {
  readonly kind: string;
  readonly at: number;
  readonly isRejected: boolean;
  readonly subject: string | undefined;
  /** Login id of the subject; absent for a deleted account. */
  readonly loginId: string | undefined;
  readonly actor: string | undefined;
  readonly reason: string | undefined;
  readonly ip: string | undefined;
  readonly agent: string | undefined;
  /** Details of the event on one line. */
  readonly detail: string;
}

/** Input of the filter form. */
interface EventFilterFields {
  readonly user: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
}

/** Content of the page with the events of all users. */
export interface EventsFields {
  readonly navigation: NavigationFields;
  readonly filter: EventFilterFields;
  readonly kinds: readonly string[];
  readonly events: readonly AdminEvent[];
  /** Id of the last event of this page; the next, older page continues after it. */
  readonly after: string | undefined;
  /** Query of the export with this filter; absent for a filter that is not valid. */
  readonly exportQuery?: string;
  readonly alert?: PagePart;
}

/** `GET /portal/admin/events`: the security events of all users. */
export function eventsPage(fields: EventsFields): View {
  return pageView((context) => {
    const { admin, activity } = context.t;
    const { alert, events } = fields;
    return {
      title: admin.events,
      navigation: navigation(context, fields.navigation),
      body: html`${adminLinks(context, 'events', true)}${alert?.(context)}${filterForm(context, fields)}${
        events.length === 0 ? paragraph(activity.none) : table(context, events)
      }${links(context, fields)}`,
    };
  });
}

function filterForm({ t, contextPath }: PageContext, { filter, kinds }: EventsFields): Html {
  const { admin, common, activity } = t;
  const options = ['', ...kinds].map(
    (kind) =>
      html`<option value="${kind}"${kind === filter.kind ? html` selected` : undefined}>${
        kind === '' ? admin.allKinds : (activity.kinds[kind] ?? kind)
      }</option>
`,
  );
  return html`<form method="get" action="${contextPath}${ADMIN_PAGES.events}" class="panel">
<div class="row">
<div class="field"><label for="user">${common.username}</label>
<input id="user" name="user" value="${filter.user}" autocapitalize="none" spellcheck="false" autocomplete="off"></div>
<div class="field"><label for="kind">${admin.kind}</label>
<select id="kind" name="kind">
${options}</select></div>
<div class="field"><label for="from">${admin.from}</label>
<input id="from" name="from" type="date" value="${filter.from}"></div>
<div class="field"><label for="to">${admin.to}</label>
<input id="to" name="to" type="date" value="${filter.to}"></div>
</div>
<p class="actions"><button type="submit">${admin.filter}</button></p>
</form>
`;
}

function table(context: PageContext, events: readonly AdminEvent[]): Html {
  const { activity, common, admin } = context.t;
  const rows = events.map((event) => {
    const { kind, at, isRejected, subject, loginId, actor, reason, ip, agent, detail } = event;
    const badge = isRejected ? html` <span class="badge bad">${activity.refused}</span>` : undefined;
    const user =
      subject === undefined
        ? undefined
        : loginId === undefined
          ? subject
          : html`<a href="${context.contextPath}${adminUserPath(subject)}">${loginId}</a>`;
    const facts = [reason, actor === undefined ? undefined : `${admin.actor}: ${actor}`, detail]
      .filter(Boolean)
      .join(' · ');
    const place = [agent === undefined ? undefined : browserText(context, agent), ip].filter(Boolean).join(' · ');
    return html`<tr><td>${context.time(at)}</td><td>${eventText(context, { kind, reason })}${badge}<br><span class="quiet small"><code>${kind}</code>${facts === '' ? '' : ` · ${facts}`}</span></td>\
<td>${user}</td><td class="quiet">${place}</td></tr>
`;
  });
  return html`<div class="panel"><div class="table"><table class="stack">
<thead><tr><th scope="col">${activity.when}</th><th scope="col">${activity.what}</th><th scope="col">${common.username}</th>\
<th scope="col">${activity.where}</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div></div>
`;
}

function links({ t, contextPath }: PageContext, { after, filter, exportQuery }: EventsFields): Html {
  const older =
    after === undefined
      ? undefined
      : buttonLink(
          `${contextPath}${ADMIN_PAGES.events}?${new URLSearchParams({ ...filter, after }).toString()}`,
          t.activity.older,
        );
  const exported = (format: string, label: string): Html | undefined =>
    exportQuery === undefined
      ? undefined
      : buttonLink(`${contextPath}/admin/events/export?format=${format}${exportQuery}`, label);
  return html`<p class="actions">${older}${exported('csv', t.admin.exportCsv)}${exported('jsonl', t.admin.exportJsonl)}</p>
`;
}
