import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { ADMIN_PAGES, adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import { buttonLink, form, type FormFields, paragraph, submitButton } from '../form/forms.js';
import { checkField, type TypedAct } from './admin-act-page.js';
import { navigation, type NavigationFields } from '../home/navigation.js';

const EVERYBODY = 'ROLE_USER';

/** Content of the list of users. */
export interface UsersFields {
  readonly navigation: NavigationFields;
  readonly users: readonly Account[];
  readonly query: string;
  /** Login id of the last user of this page; the next page continues after it. */
  readonly after: string | undefined;
  readonly isFirst: boolean;
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

function search({ t, contextPath }: PageContext, { query }: UsersFields): Html {
  return html`<form method="get" action="${contextPath}${ADMIN_PAGES.users}" role="search" class="search">
<div class="field"><label for="query">${t.admin.search}</label>
<input id="query" name="query" type="search" value="${query}" maxlength="255" autocapitalize="none" spellcheck="false"></div>
<button type="submit">${t.admin.find}</button>
</form>
`;
}

function table(context: PageContext, users: readonly Account[]): Html {
  const { admin, common } = context.t;
  const rows = users.map(
    (user) => html`<tr><td><a href="${context.contextPath}${adminUserPath(user.id)}">${user.loginId}</a></td>\
<td>${user.displayName ?? ''}</td><td>${user.email ?? ''}</td><td>${rolesText(user.roles)}</td><td>${stateBadges(context, user)}</td></tr>
`,
  );
  return html`<div class="panel"><div class="table"><table class="stack">
<thead><tr><th scope="col">${common.username}</th><th scope="col">${admin.name}</th><th scope="col">${admin.email}</th><th scope="col">${admin.roles}</th>\
<th scope="col">${admin.state}</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div></div>
`;
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

function paging({ t, contextPath }: PageContext, { after, isFirst, query }: UsersFields): Html {
  const path = `${contextPath}${ADMIN_PAGES.users}?query=${encodeURIComponent(query)}`;
  const next = after === undefined ? undefined : buttonLink(`${path}&after=${encodeURIComponent(after)}`, t.admin.more);
  const first = isFirst ? undefined : buttonLink(path, t.admin.first);
  return html`<p class="actions">${first}${next}</p>
`;
}

/** Content of the form for a new user. */
export interface NewUserFields extends FormFields {
  readonly navigation: NavigationFields;
  /** True if invitations can be mailed; otherwise the user gets a temporary password. */
  readonly canInvite: boolean;
  readonly typed?: Readonly<Record<'id' | 'groups' | 'roles' | 'access', string>> &
    Pick<TypedAct, 'name' | 'email' | 'email_verified'>;
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
${input('roles', admin.roles, typed?.roles ?? '', html` aria-describedby="roles-hint"`)}<p class="hint" id="roles-hint">${admin.rolesHint}</p>
${firstPassword(context, canInvite, typed?.access)}<div class="actions">${submitButton(admin.create)}</div>
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

/** Page that shows a temporary password, only once. */
export function temporaryPasswordPage(
  nav: NavigationFields,
  { loginId, password, expiresAt, back }: { loginId: string; password: string; expiresAt: number; back: string },
): View {
  return pageView((context) => {
    const { admin, common } = context.t;
    return {
      title: admin.temporaryPassword,
      isShownOnce: true,
      navigation: navigation(context, nav),
      body: html`<div class="panel narrow">
${paragraph(admin.temporaryText(loginId))}<p><code class="key" id="password" data-text="${password}">${password}</code></p>
<p class="hint">${admin.validUntil}: ${context.time(expiresAt)}</p>
<div class="actions"><button type="button" hidden data-copy="password" data-done="${common.copied}">${common.copy}</button>
${buttonLink(back, common.continue, 'primary')}</div>
</div>
`,
    };
  });
}
