import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { EventRow } from '../../../identity/events/event-line.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, pageView } from '../../../signin/messages/page.js';
import { buttonLink, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { browserText } from './session-panels.js';

/** Reason of a rejected login with the correct password, which the user must change first. */
const CHANGE_REQUIRED = 'change_required';

/** Text keys of event kinds whose text depends on the reason. */
const TEXT_OF_REASON: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  LOGIN_PASSWORD_FAILED: { passkey_required: 'LOGIN_PASSWORD_REFUSED' },
  MFA_SETUP: { passkey: 'MFA_SETUP_PASSKEY' },
  MFA_CONFIRMED: { replaced: 'MFA_REPLACED', added: 'MFA_ADDED' },
  MFA_OK: { passkey: 'MFA_OK_PASSKEY' },
  STEP_UP_OK: { passkey: 'STEP_UP_OK_PASSKEY' },
  MFA_FAILED: {
    challenge: 'MFA_FAILED_PASSKEY',
    unknown_passkey: 'MFA_FAILED_PASSKEY',
    wrong_passkey: 'MFA_FAILED_PASSKEY',
  },
  PASSKEY_COUNTER: { passkey_counter: 'PASSKEY_COUNTER_REJECTED' },
};

/** A security event of the account; `at` is in epoch seconds. */
export interface ShownEvent {
  readonly kind: string;
  readonly at: number;
  readonly isRejected: boolean;
  readonly reason: string | undefined;
  /** True for an act of another person, such as an administrator, whose address and browser `ip` and `agent` are. */
  readonly isByOther: boolean;
  readonly ip: string | undefined;
  readonly agent: string | undefined;
}

/**
 * `GET /portal/security/activity`: the security events of the account. `after` is the id of the last event of this
 * page; the next, older page continues after it.
 */
export function activityPage(
  nav: NavigationFields,
  events: readonly ShownEvent[],
  { after, isFirst }: { readonly after: string | undefined; readonly isFirst: boolean },
): View {
  return pageView((context) => {
    const { activity, common } = context.t;
    const path = context.contextPath + ACCOUNT_PAGES.activity;
    const older =
      after === undefined ? undefined : buttonLink(`${path}?after=${encodeURIComponent(after)}`, activity.older);
    const newest = isFirst ? undefined : buttonLink(path, activity.newest);
    return {
      title: activity.title,
      navigation: navigation(context, nav),
      body: html`${paragraph(activity.text)}${events.length === 0 ? paragraph(activity.none) : html`<div class="panel">${eventTable(context, events)}</div>`}<p class="actions">${newest}${older}${buttonLink(context.contextPath + ACCOUNT_PAGES.security, common.back)}</p>
`,
    };
  });
}

/** The part of an event that users see. */
export function shownEvent({ kind, at, result, user_id: subject, actor, reason, ip, agent }: EventRow): ShownEvent {
  return {
    kind,
    at: Math.floor(at / 1000),
    isRejected: result === 'refused' && reason !== CHANGE_REQUIRED,
    reason: reason ?? undefined,
    isByOther: actor !== null && actor !== subject,
    ip: ip ?? undefined,
    agent: agent ?? undefined,
  };
}

/** The text for users about an event. */
export function eventText({ t }: PageContext, { kind, reason }: Pick<ShownEvent, 'kind' | 'reason'>): string {
  const { kinds, temporaryPassword } = t.activity;
  if (reason === CHANGE_REQUIRED) return temporaryPassword;
  const special = TEXT_OF_REASON[kind]?.[reason ?? ''];
  return (special === undefined ? undefined : kinds[special]) ?? kinds[kind] ?? kind;
}

/** Table of the events of one account, newest first. */
export function eventTable(context: PageContext, events: readonly ShownEvent[]): Html {
  const { activity, notices } = context.t;
  const rows = events.map(({ kind, at, isRejected, isByOther, reason, ip, agent }) => {
    const badge = isRejected ? html` <span class="badge bad">${activity.refused}</span>` : undefined;
    const place = isByOther
      ? [`${notices.by}: ${notices.administrator}`]
      : [agent === undefined ? undefined : browserText(context, agent), ip].filter((part) => part !== undefined);
    return html`<tr><td>${context.time(at)}</td><td>${eventText(context, { kind, reason })}${badge}</td><td class="quiet">${place.join(' · ')}</td></tr>
`;
  });
  return html`<div class="table"><table class="stack">
<thead><tr><th scope="col">${activity.when}</th><th scope="col">${activity.what}</th><th scope="col">${activity.where}</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
}
