import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { ACCOUNT_STATES, type AccountState } from '../../admin/user-filter.js';
import { ADMIN_PAGES, adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import { buttonLink, form, type FormFields, paragraph, submitButton } from '../form/forms.js';
import { checkField, type TypedAct } from './admin-act-page.js';
import { type RoleFields, roleFields, type TypedRoles } from './role-fields.js';
import { navigation, type NavigationFields } from '../home/navigation.js';

const EVERYBODY = 'ROLE_USER';

/** The filter as the user has chosen it. */
interface TypedFilter {
  readonly query: string;
  readonly state?: AccountState | undefined;
  readonly role: string;
  readonly inactive?: number | undefined;
}

/** Choices of the days without a sign-in. */
const INACTIVE_DAYS = [30, 90, 365];

/** Content of the list of users. */
export interface UsersFields {
  readonly navigation: NavigationFields;
  readonly users: readonly Account[];
  readonly filter: TypedFilter;
  /** The number of users of all pages. */
  readonly total: number;
  /** Login id after which the next page begins; undefined on the last page. */
  readonly after: string | undefined;
  /** Login id before which the previous page ends; undefined on the first page. */
  readonly before: string | undefined;
  /** True for administrators, false for the help desk. */
  readonly isAdministrator: boolean;
  /** Login id of a user that was just deleted. */
  readonly deleted?: string;
}

/** `GET /portal/admin/users`: the list of users. */
export function usersPage(fields: UsersFields): View {
  return pageView((context) => {
    const { admin } = context.t;
    const { users, deleted } = fields;
    const notice =
      deleted === undefined
        ? undefined
        : html`<div class="note good" role="status">${paragraph(admin.done.deleted(deleted))}</div>
`;
    return {
      title: admin.users,
      navigation: navigation(context, fields.navigation),
      body: html`${notice}${adminLinks(context, 'users', fields.isAdministrator)}${search(context, fields)}${
        users.length === 0 ? paragraph(admin.noUsers) : table(context, users)
      }${paging(context, fields)}`,
    };
  });
}

type AdminSection = 'overview' | 'users' | 'newUser' | 'import' | 'events' | 'clients';

/** Links between the pages of administrators; the help desk has the overview and the list of users only. */
export function adminLinks({ t, contextPath }: PageContext, current: AdminSection, isAdministrator: boolean): Html {
  const ofAdministrators: readonly AdminSection[] = ['newUser', 'import', 'events', 'clients'];
  const sections = ['overview' as const, 'users' as const, ...(isAdministrator ? ofAdministrators : [])];
  const links = sections.map(
    (each) =>
      html`<li><a href="${contextPath}${ADMIN_PAGES[each]}"${each === current ? html` aria-current="page"` : undefined}>${each === 'overview' ? t.admin.overviewPage.title : t.admin[each]}</a></li>
`,
  );
  return html`<nav class="tabs" aria-label="${t.common.administration}"><ul>
${links}</ul></nav>
`;
}

function search({ t, contextPath }: PageContext, { filter, total }: UsersFields): Html {
  const { admin } = t;
  const { query, state, role, inactive } = filter;
  const option = (value: string, label: string, isChosen: boolean): Html =>
    html`<option value="${value}"${isChosen ? html` selected` : undefined}>${label}</option>
`;
  const select = (id: string, label: string, options: readonly Html[]): Html =>
    html`<div class="field"><label for="${id}">${label}</label>
<select id="${id}" name="${id}">
${option('', admin.userFilter.any, false)}${options}</select></div>
`;
  const states = ACCOUNT_STATES.map((each) => option(each, admin.userFilter.states[each], each === state));
  const days = INACTIVE_DAYS.map((each) => option(String(each), admin.userFilter.days(each), each === inactive));
  return html`<form method="get" action="${contextPath}${ADMIN_PAGES.users}" role="search">
<div class="search"><div class="field"><label for="query">${admin.search}</label>
<input id="query" name="query" type="search" value="${query}" maxlength="255" autocapitalize="none" spellcheck="false"></div>
<button type="submit">${admin.find}</button></div>
<details${state !== undefined || role !== '' || inactive !== undefined ? html` open` : undefined}><summary>${admin.userFilter.title}</summary>
<div class="row">${select('state', admin.state, states)}${select('inactive', admin.userFilter.inactive, days)}\
<div class="field"><label for="role">${admin.userFilter.role}</label>
<input id="role" name="role" value="${role}" maxlength="64" autocapitalize="none" spellcheck="false" autocomplete="off"></div></div>
</details>
</form>
<p class="quiet">${admin.userFilter.total(total)}</p>
`;
}

function table(context: PageContext, users: readonly Account[]): Html {
  const { admin, common } = context.t;
  const rows = users.map(
    (user) => html`<tr><td><a href="${context.contextPath}${adminUserPath(user.id)}">${user.loginId}</a></td>\
<td>${user.displayName ?? ''}</td><td>${user.email ?? ''}</td><td>${rolesText(user.roles)}</td><td>${stateBadges(context, user)}</td>\
<td>${lastSignIn(context, user)}</td></tr>
`,
  );
  return html`<div class="panel"><div class="table"><table class="stack">
<thead><tr><th scope="col">${common.username}</th><th scope="col">${admin.name}</th><th scope="col">${admin.email}</th><th scope="col">${admin.roles}</th>\
<th scope="col">${admin.state}</th><th scope="col">${admin.lastSignIn}</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div></div>
`;
}

/** When a user last signed in, or a dash. */
export function lastSignIn({ time }: PageContext, { lastSignInAt }: Account): Html | string {
  return lastSignInAt === undefined ? '–' : time(lastSignInAt);
}

/** Badges for account states that an administrator should notice. */
export function stateBadges({ t }: PageContext, account: Account): Html {
  const { status, kind, invitedAt } = account;
  const { admin } = t;
  const badge = (isShown: boolean, kindOf: string, text: string): Html | undefined =>
    isShown ? html`<span class="${`badge ${kindOf}`.trim()}">${text}</span> ` : undefined;
  return html`${badge(status === 'disabled', 'bad', admin.disabled)}${badge(invitedAt !== undefined, 'warn', admin.invited)}${badge(
    hasSecondFactor(account),
    'good',
    admin.secondFactorOn,
  )}${badge(kind === 'staff', '', admin.staff)}`;
}

/** The stored roles as text; an account without stored roles has the role of every user. */
export function rolesText(roles: readonly string[]): string {
  return roles.length === 0 ? EVERYBODY : roles.join(', ');
}

function paging({ t, contextPath }: PageContext, { after, before, filter }: UsersFields): Html {
  const { query, state = '', role, inactive = '' } = filter;
  const to = (cursor: Readonly<Record<string, string>>, label: string): Html => {
    const parameters = Object.entries({ query, state, role, inactive: String(inactive), ...cursor });
    const chosen = new URLSearchParams(parameters.filter(([, value]) => value !== ''));
    return buttonLink(`${contextPath}${ADMIN_PAGES.users}?${chosen.toString()}`, label);
  };
  return html`<p class="actions">${before === undefined ? undefined : to({ before }, t.admin.previous)}${
    after === undefined ? undefined : to({ after }, t.admin.more)
  }</p>
`;
}

/** Content of the form for a new user. */
export interface NewUserFields extends FormFields {
  readonly navigation: NavigationFields;
  /** True if invitations can be mailed; otherwise the user gets a temporary password. */
  readonly canInvite: boolean;
  readonly typed?: Readonly<Record<'id' | 'groups' | 'access', string>> &
    Pick<TypedAct, 'name' | 'email' | 'email_verified'> &
    TypedRoles;
  readonly roles: Omit<RoleFields, 'typed'>;
  readonly alert?: PagePart;
}

/** `GET /portal/admin/new-user`: the form that creates a user. */
export function newUserPage(fields: NewUserFields): View {
  const { alert, canInvite, typed } = fields;
  return pageView((context) => {
    const { admin, common } = context.t;
    const input = (id: string, label: string, value: string, more: Html): Html =>
      html`<div class="field"><label for="${id}">${label}</label>
<input id="${id}" name="${id}" value="${value}" autocapitalize="none" spellcheck="false" autocomplete="off"${more}></div>
`;
    return {
      title: admin.newUser,
      navigation: navigation(context, fields.navigation),
      body: html`${adminLinks(context, 'newUser', true)}<div class="panel narrow">
${alert?.(context)}${form(
        fields,
        html`${input('id', common.username, typed?.id ?? '', html` maxlength="255" required`)}${input(
          'name',
          admin.name,
          typed?.name ?? '',
          html` maxlength="255"`,
        )}${input(
          'email',
          admin.email,
          typed?.email ?? '',
          html` type="email" maxlength="254"`,
        )}${checkField('email_verified', admin.markVerified, typed?.email_verified)}${input(
          'groups',
          admin.groups,
          typed?.groups ?? '',
          html` aria-describedby="groups-hint"`,
        )}<p class="hint" id="groups-hint">${admin.groupsHint}</p>
${roleFields(context, { ...fields.roles, typed: typed ?? {} }, admin.rolesHint)}${firstPassword(context, canInvite, typed?.access)}<div class="actions">${submitButton(admin.create)}</div>
`,
      )}</div>
`,
    };
  });
}

function firstPassword({ t }: PageContext, canInvite: boolean, access = 'invite'): Html {
  const { admin } = t;
  const isInvited = canInvite && access === 'invite';
  const option = (value: string, label: string, isChecked: boolean): Html =>
    html`<label class="check"><input type="radio" name="access" value="${value}"${isChecked ? html` checked` : undefined}> ${label}</label>
`;
  return html`<fieldset><legend>${admin.firstPassword}</legend>
${canInvite ? option('invite', admin.byInvitation, isInvited) : undefined}${option('temporary', admin.byTemporaryPassword, !isInvited)}</fieldset>
`;
}

/** Secret that the administrator gives to the user. */
interface ShownSecret {
  readonly kind: 'temporaryPassword' | 'accessCode';
  readonly loginId: string;
  readonly secret: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** Path of the page that follows. */
  readonly back: string;
}

/** Page that shows a temporary password or a temporary access code, only once. */
export function shownSecretPage(nav: NavigationFields, { kind, loginId, secret, expiresAt, back }: ShownSecret): View {
  return pageView((context) => {
    const { admin, common } = context.t;
    const isCode = kind === 'accessCode';
    return {
      title: isCode ? admin.accessCode : admin.temporaryPassword,
      isShownOnce: true,
      navigation: navigation(context, nav),
      body: html`<div class="panel narrow">
${paragraph(isCode ? admin.accessCodeText(loginId) : admin.temporaryText(loginId))}<p><code class="key" id="password" data-text="${secret}">${secret}</code></p>
<p class="hint">${admin.validUntil}: ${context.time(expiresAt)}</p>
<div class="actions"><button type="button" hidden data-copy="password" data-done="${common.copied}">${common.copy}</button>
${buttonLink(back, common.continue, 'primary')}</div>
</div>
`,
    };
  });
}
