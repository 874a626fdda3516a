import { ADMIN_PAGES, adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import { buttonLink, note, paragraph } from '../form/forms.js';
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
  /** Pseudonym of the login id of a deleted account, as the log has it. */
  readonly pseudonym: string | undefined;
  /** Further facts of the kind by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Input of the filter form. */
interface EventFilterFields {
  readonly user: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  /** Time zone of the days. */
  readonly zone: string;
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
  /** Why no event can match the filter. */
  readonly problem?: 'unknownUser' | 'reversedDays';
  readonly alert?: PagePart;
}

/** `GET /portal/admin/events`: the security events of all users. */
export function eventsPage(fields: EventsFields): View {
  return pageView((context) => {
    const { admin } = context.t;
    const { alert, events, problem } = fields;
    return {
      title: admin.events,
      navigation: navigation(context, fields.navigation),
      body: html`${adminLinks(context, 'events', true)}${alert?.(context)}${filterForm(context, fields)}${
        problem !== undefined
          ? note('warn', paragraph(admin[problem]))
          : events.length === 0
            ? paragraph(admin.noEvents)
            : table(context, events)
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
<input type="hidden" name="zone" value="${filter.zone}" data-zone>
<p class="hint">${admin.zoneOfDays}: <span data-zone>${filter.zone}</span></p>
<p class="actions"><button type="submit">${admin.filter}</button></p>
</form>
`;
}

function table(context: PageContext, events: readonly AdminEvent[]): Html {
  const { activity, common, admin } = context.t;
  const rows = events.map((event) => {
    const { kind, at, isRejected, subject, loginId, pseudonym, actor, reason, ip, agent } = event;
    const badge = isRejected ? html` <span class="badge bad">${activity.refused}</span>` : undefined;
    const user =
      subject === undefined
        ? undefined
        : loginId === undefined
          ? [pseudonym, subject].filter(Boolean).join(' · ')
          : html`<a href="${context.contextPath}${adminUserPath(subject)}">${loginId}</a>`;
    const facts = [reason, actor === undefined ? undefined : `${admin.actor}: ${actor}`, ...factTexts(context, event)]
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

/** The facts of an event, each with its label; the names that have none are those of the reference of events. */
function factTexts({ t: { admin } }: PageContext, { facts }: AdminEvent): readonly string[] {
  const { roles_before: before, roles_after: after, ...others } = facts;
  const texts = Object.entries(others).map(
    ([name, value]) => `${admin.eventFacts[name] ?? name}: ${admin.eventFactValues[value] ?? value}`,
  );
  return before === undefined ? texts : [`${admin.roles}: ${before} → ${after ?? ''}`, ...texts];
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
