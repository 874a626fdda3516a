import type { Account } from '../../account/account.js';
import { ADMIN_PAGES, adminUserPath } from '../../auth/page-paths.js';
import { type Html, html } from '../../encoding/html.js';
import { type PageContext, type PagePart, View } from '../../http/page/view.js';
import type { EnrolmentState } from '../../second-factor/second-factor.js';
import { browserText, type ShownDevice, type ShownSession } from '../account/session-panels.js';
import { type ShownEvent, eventTable } from '../account/activity-page.js';
import { button, buttonLink, form, type FormFields, hidden, note, paragraph } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { adminLinks, rolesText, stateBadges } from './admin-users-page.js';
import type { UserAct, UserDone } from './admin.schema.js';

/** What the caller may see of the access to an account; absent for the help desk on protected accounts. */
export interface UserAccess {
  readonly sessions: readonly ShownSession[];
  readonly devices: readonly ShownDevice[];
  readonly events: readonly ShownEvent[];
}

/** Content of the page about a user. */
export interface UserFields {
  readonly navigation: NavigationFields;
  readonly account: Account;
  readonly factors: EnrolmentState;
  readonly access?: UserAccess;
  readonly isAdministrator: boolean;
  /** The page is about the caller. */
  readonly isOneself: boolean;
  readonly canInvite: boolean;
  readonly done?: UserDone;
  readonly formFor: (act: UserAct) => FormFields;
  readonly alert?: PagePart;
  /** The act that has failed, with what was typed into its form. */
  readonly given?: GivenAct;
}

export interface GivenAct {
  readonly act: UserAct;
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
  readonly email?: string | undefined;
  readonly roles?: string | undefined;
  readonly isMfaRequired?: boolean;
}

/** `GET /portal/admin/users/{sub}`. */
export function userPage(fields: UserFields): View {
  const { account, alert, done, access, isAdministrator } = fields;
  return new View((context) => {
    const { admin } = context.t;
    const told =
      done &&
      html`<div class="note good" role="status"><p>${admin.userDone[done]}</p>
</div>
`;
    return {
      title: account.loginId,
      navigation: navigation(context, fields.navigation),
      body: html`${told}${alert?.(context)}${adminLinks(context, 'users', isAdministrator)}<div class="panels">
${factsPanel(context, fields)}${secondFactorPanel(context, fields)}</div>
${isAdministrator ? changePanels(context, fields) : undefined}${
        access ? accessPanels(context, fields, access) : note('', paragraph(admin.protectedAccount))
      }${isAdministrator ? dangerPanel(context, fields) : undefined}`,
    };
  });
}

function panel(id: string, title: string, content: Html): Html {
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}</section>
`;
}

function factsPanel(context: PageContext, { account }: UserFields): Html {
  const { admin } = context.t;
  const row = (label: string, value: Html | string): Html => html`<dt>${label}</dt><dd>${value}</dd>
`;
  return panel(
    'facts',
    admin.account,
    html`<dl class="facts">
${row(admin.state, html`${account.status === 'active' && account.invitedAt === undefined ? html`<span class="badge good">${admin.active}</span> ` : undefined}${stateBadges(context, account)}`)}${row(
      admin.email,
      account.email ?? admin.none,
    )}${row(admin.roles, rolesText(account.roles))}${row(admin.password, passwordText(context, account))}</dl>
`,
  );
}

function passwordText({ t, time }: PageContext, account: Account): Html | string {
  const { admin } = t;
  if (account.invitedAt !== undefined) return html`${admin.invitedAt} ${time(account.invitedAt)}`;
  if (!account.hasPassword) return account.kind === 'staff' ? admin.passwordAtIdp : admin.none;
  return account.passwordEndsAt === undefined
    ? admin.passwordSet
    : html`${admin.passwordTemporary} ${time(account.passwordEndsAt)}`;
}

function secondFactorPanel(context: PageContext, fields: UserFields): Html {
  const { admin, account: texts } = context.t;
  const { factors, account, formFor, isOneself } = fields;
  const isActive = factors.state === 'active';
  const state = isActive
    ? html`<p><span class="badge good">${texts.on}</span> ${texts.codesLeft(factors.backupCodes.remaining)}</p>
`
    : html`<p><span class="badge">${texts.off}</span>${account.enrolmentForced ? html` ${admin.enrolmentForced}` : undefined}</p>
`;
  const lock =
    factors.lock &&
    note(
      'bad',
      factors.lock.endsByItself
        ? html`<p>${admin.lockedUntil}: ${context.time(factors.lock.until)}</p>
`
        : paragraph(admin.lockedForGood),
    );
  const acts = isOneself
    ? html`<p class="hint">${admin.notOneself}</p>
`
    : html`${actForm(context, fields, 'unlock', admin.unlock, admin.unlockText, '')}${actForm(context, fields, 'reset', admin.resetMfa, admin.resetText, 'danger')}`;
  return panel(
    'second-factor',
    texts.secondFactor,
    html`${state}${lock}${fields.access || fields.isAdministrator ? acts : undefined}`,
  );

  function actForm(
    { t }: PageContext,
    { isAdministrator }: UserFields,
    act: 'unlock' | 'reset',
    label: string,
    text: string,
    kind: '' | 'danger',
  ): Html {
    const needsReason = !isAdministrator || act === 'reset';
    return html`<details${opened(fields, act)}>
<summary>${label}</summary>
<p>${text}</p>
${form(
  formFor(act),
  html`${statedFields(t, act, needsReason, !isAdministrator, fields.given)}<p class="actions">${button(label, kind)}</p>
`,
)}</details>
`;
  }
}

/** Shows the form of the act that has failed. */
function opened({ given }: UserFields, act: UserAct): Html | undefined {
  return given?.act === act ? html` open` : undefined;
}

/** Reason and ticket of an act; the help desk must state both. */
function statedFields(
  { admin }: PageContext['t'],
  id: UserAct,
  needsReason: boolean,
  needsTicket: boolean,
  given?: GivenAct,
): Html {
  const { reason = '', ticket = '' } = given?.act === id ? given : {};
  const required = (isRequired: boolean): Html | undefined => (isRequired ? html` required` : undefined);
  return html`<div class="row">
<div class="field"><label for="${id}-reason">${needsReason ? admin.reason : admin.reasonOptional}</label>
<input id="${id}-reason" name="reason" value="${reason}" maxlength="200" autocomplete="off"${required(needsReason)}></div>
<div class="field"><label for="${id}-ticket">${needsTicket ? admin.ticket : admin.ticketOptional}</label>
<input id="${id}-ticket" name="ticket" value="${ticket}" maxlength="64" autocomplete="off" autocapitalize="characters"${required(needsTicket)}></div>
</div>
`;
}

function changePanels(context: PageContext, fields: UserFields): Html {
  const { account, formFor, canInvite, isOneself, given } = fields;
  const { admin, common } = context.t;
  const stored = { email: account.email, roles: account.roles.join(', '), isMfaRequired: account.mfaRequired };
  const { email = '', roles = '', isMfaRequired = false } = given?.act === 'change' ? given : stored;
  const isStaff = account.kind === 'staff';
  const change = html`<div class="field"><label for="email">${admin.email}</label>
<input id="email" name="email" type="email" value="${email}" maxlength="254" autocomplete="off"></div>
<div class="field"><label for="roles">${admin.roles}</label>
<input id="roles" name="roles" value="${roles}" autocomplete="off" spellcheck="false" aria-describedby="roles-hint">
<p class="hint" id="roles-hint">${isStaff ? admin.rolesOfStaff : admin.rolesHint}</p></div>
<label class="check"><input type="checkbox" name="mfa_required" value="true"${isMfaRequired ? html` checked` : undefined}> ${admin.mfaRequired}</label>
${statedFields(context.t, 'change', false, false, given)}<p class="actions">${button(common.save)}</p>
`;
  const passwordActs =
    isStaff || isOneself
      ? undefined
      : html`<details${opened(fields, 'password')}>
<summary>${admin.setTemporary}</summary>
<p>${admin.setTemporaryText}</p>
${form(
  formFor('password'),
  html`${statedFields(context.t, 'password', false, false, given)}<p class="actions">${button(admin.setTemporary, 'danger')}</p>
`,
)}</details>
`;
  const invite =
    canInvite && !isStaff && !account.hasPassword && account.email !== undefined
      ? form(
          formFor('invite'),
          html`<p class="actions">${button(admin.inviteAgain)}</p>
`,
        )
      : undefined;
  return panel('change', admin.change, html`${form(formFor('change'), change)}${passwordActs}${invite}`);
}

function accessPanels(context: PageContext, fields: UserFields, access: UserAccess): Html {
  const { admin, account: texts, activity } = context.t;
  const { formFor, isAdministrator, account } = fields;
  const sessions = access.sessions.map(
    ({ id, agent, ip, lastUsedAt }) => html`<li><div><strong>${browserText(context, agent)}</strong><br>
<span class="quiet small">${texts.lastUsed}: ${context.time(lastUsedAt)}${ip === undefined ? undefined : html` · ${ip}`}</span></div>
${isAdministrator ? form(formFor('end-session'), html`${hidden('id', id)}${button(texts.endSession)}`) : undefined}</li>
`,
  );
  const devices = access.devices.map(
    ({ id, agent, expiresAt }) => html`<li><div><strong>${browserText(context, agent)}</strong><br>
<span class="quiet small">${texts.until}: ${context.time(expiresAt)}</span></div>
${isAdministrator ? form(formFor('end-device'), html`${hidden('id', id)}${button(texts.forget)}`) : undefined}</li>
`,
  );
  const all =
    isAdministrator && sessions.length > 1
      ? html`<div class="actions">${form(formFor('end-session'), button(admin.endAll, 'danger'))}</div>
`
      : undefined;
  const list = (rows: readonly Html[]): Html =>
    rows.length === 0
      ? paragraph(admin.none)
      : html`<ul class="rows">
${rows}</ul>
`;
  const more = isAdministrator
    ? html`<p class="actions">${buttonLink(`${context.contextPath}${ADMIN_PAGES.events}?user=${encodeURIComponent(account.loginId)}`, admin.allEvents)}</p>
`
    : undefined;
  return html`<div class="panels">
${panel('sessions', admin.sessions, html`${list(sessions)}${all}`)}${panel('devices', texts.devices, list(devices))}</div>
${panel('events', activity.title, html`${access.events.length === 0 ? paragraph(activity.none) : eventTable(context, access.events)}${more}`)}`;
}

function dangerPanel(context: PageContext, { account, formFor, isOneself }: UserFields): Html {
  const { admin } = context.t;
  const { contextPath } = context;
  const isActive = account.status === 'active';
  const exported = buttonLink(`${contextPath}/admin/users/${encodeURIComponent(account.id)}/export`, admin.exportData);
  const acts = isOneself
    ? undefined
    : html`${form(
        formFor('status'),
        html`${hidden('status', isActive ? 'disabled' : 'active')}${button(isActive ? admin.disable : admin.enable, isActive ? 'danger' : '')}`,
      )}${buttonLink(contextPath + adminUserPath(account.id, 'delete'), admin.delete, 'danger')}`;
  return panel(
    'more',
    admin.more2,
    html`<div class="actions">${exported}${acts}</div>
${
  isOneself
    ? html`<p class="hint">${admin.notOneself}</p>
`
    : undefined
}`,
  );
}

/** `GET /portal/admin/users/{sub}/delete`. */
export function deletionPage(
  nav: NavigationFields,
  account: Account,
  fields: FormFields,
  failed: { readonly alert?: PagePart; readonly given?: GivenAct } = {},
): View {
  const { alert, given } = failed;
  return new View((context) => {
    const { admin, common } = context.t;
    const { contextPath } = context;
    const exported = `${contextPath}/admin/users/${encodeURIComponent(account.id)}/export`;
    return {
      title: admin.deleteTitle(account.loginId),
      navigation: navigation(context, nav),
      body: html`<div class="panel narrow">
${alert?.(context)}${paragraph(admin.deleteText)}<p class="actions">${buttonLink(exported, admin.exportFirst)}</p>
${form(
  fields,
  html`${statedFields(context.t, 'delete', false, false, given)}<div class="actions">${button(admin.deleteNow, 'danger')}${buttonLink(contextPath + adminUserPath(account.id), common.cancel)}</div>
`,
)}</div>
`,
    };
  });
}
