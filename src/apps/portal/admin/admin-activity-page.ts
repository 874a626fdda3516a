import { ADMIN_PAGES, adminUserPath } from '../../../signin/auth/page-paths.js';
import { html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { eventTable, type ShownEvent } from '../account/activity-page.js';
import { buttonLink, paragraph } from '../form/forms.js';
import { type UserFrameFields, userView } from './admin-user-frame.js';

/** Content of the page with the security events of a user. */
export interface UserActivityFields extends UserFrameFields {
  readonly events: readonly ShownEvent[];
  /** Id of the last event of this page; the next, older page continues after it. */
  readonly after: string | undefined;
  readonly isFirst: boolean;
}

/** `GET /portal/admin/users/{sub}/activity`: the security events of a user. */
export function userActivityPage(fields: UserActivityFields): View {
  const { account, after, events, isAdministrator, isFirst } = fields;
  return userView(fields, 'activity', (context) => {
    const { contextPath } = context;
    const { activity, admin } = context.t;
    const path = contextPath + adminUserPath(account.id, 'activity');
    const newest = isFirst ? undefined : buttonLink(path, activity.newest);
    const older =
      after === undefined ? undefined : buttonLink(`${path}?after=${encodeURIComponent(after)}`, activity.older);
    const ofUser = `${contextPath}${ADMIN_PAGES.events}?user=${encodeURIComponent(account.loginId)}`;
    const all = isAdministrator ? buttonLink(ofUser, admin.allEvents) : undefined;
    const table =
      events.length === 0
        ? paragraph(activity.none)
        : html`<div class="panel">${eventTable(context, events)}</div>
`;
    return html`${table}<p class="actions">${newest}${older}${all}</p>
`;
  });
}
