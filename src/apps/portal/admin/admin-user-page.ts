import type { Account } from '../../../identity/account/account.js';
import { adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PageContext } from '../../../signin/messages/page.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import type { EnrolmentState } from '../../../identity/second-factor/factor-state.js';
import { buttonLink, note, panel, paragraph } from '../form/forms.js';
import { irremovableReason } from '../account/second-factor-panel.js';
import { authenticatorList } from './admin-authenticators.js';
import { type UserFrameFields, userView } from './admin-user-frame.js';
import { lastSignIn, rolesText, stateBadges } from './admin-users-page.js';
import { actRule, type UserAct } from './user-acts.js';

/** Content of the overview of a user. */
export interface UserFields extends UserFrameFields {
  readonly factors: EnrolmentState;
  /** The authenticators of the user; absent if the caller may not act on the user. */
  readonly authenticators?: readonly Authenticator[];
  readonly arePasskeysUsable: boolean;
  /** True if the next authenticator needs a temporary access code. */
  readonly needsAccessCode: boolean;
  /** True if the page is about the caller. */
  readonly isOneself: boolean;
  readonly canInvite: boolean;
}

/** `GET /portal/admin/users/{sub}`: the state of a user, with links to the acts. */
export function userPage(fields: UserFields): View {
  const { isAdministrator, isOpen, isOneself } = fields;
  return userView(fields, 'overview', (context) => {
    const { admin } = context.t;
    const ofOneself = isOneself ? note('', paragraph(admin.ownAccount)) : undefined;
    return html`${isOpen ? ofOneself : note('', paragraph(admin.protectedAccount))}<div class="panels">
${accountPanel(context, fields)}${secondFactorPanel(context, fields)}</div>
${isAdministrator ? dataPanel(context, fields) : undefined}`;
  });
}

function accountPanel(context: PageContext, fields: UserFields): Html {
  const { account, isAdministrator, canInvite, isOneself } = fields;
  const { admin } = context.t;
  const row = (label: string, value: Html | string): Html => html`<dt>${label}</dt><dd>${value}</dd>
`;
  const isActive = account.status === 'active' && account.invitedAt === undefined;
  const active = isActive ? html`<span class="badge good">${admin.active}</span> ` : undefined;
  const isLocal = account.kind !== 'staff';
  const isInvitable = canInvite && isLocal && !account.hasPassword && account.email !== undefined;
  const acts: readonly UserAct[] = [
    ...(['change', 'roles'] as const),
    ...(isLocal && !isOneself ? (['password'] as const) : []),
    ...(isInvitable ? (['invite'] as const) : []),
  ];
  return panel(
    'facts',
    admin.account,
    html`<dl class="facts">
${row(admin.state, html`${active}${stateBadges(context, account)}`)}${row(admin.name, account.displayName ?? admin.none)}${row(
      admin.email,
      emailText(context, account),
    )}${row(admin.groups, account.groups.join(', ') || admin.none)}${row(admin.roles, rolesText(account.roles))}${row(admin.password, passwordText(context, account))}${row(admin.created, context.time(account.createdAt))}${row(
      admin.lastSignIn,
      lastSignIn(context, account),
    )}</dl>
${isAdministrator ? actions(actLinks(context, account, acts)) : undefined}`,
  );
}

function emailText({ t: { admin } }: PageContext, { email, emailVerified }: Account): Html | string {
  if (email === undefined) return admin.none;
  return html`${email} <span class="${emailVerified ? 'badge good' : 'badge'}">${emailVerified ? admin.verified : admin.unverified}</span>`;
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
  const { factors, authenticators = [], arePasskeysUsable, account, isOpen, isOneself } = fields;
  const { admin, account: texts } = context.t;
  const { lock } = factors;
  const [kind, name, more] =
    factors.state === 'active'
      ? ['badge good', texts.on, texts.codesLeft(factors.backupCodes.remaining)]
      : ['badge', texts.off, account.enrolmentForced ? admin.enrolmentForced : undefined];
  const locked =
    lock &&
    note(
      'bad',
      lock.endsByItself
        ? html`<p>${admin.lockedUntil}: ${context.time(lock.until)}</p>
`
        : paragraph(admin.lockedForGood),
    );
  // An authenticator that policy requires is set up again at the next login.
  const policy = { authenticators, arePasskeysUsable, isDemanded: false, isPasskeyDemanded: false };
  const isRemovable = (each: Authenticator): boolean => !isOneself && irremovableReason(each, policy) === undefined;
  const names: readonly UserAct[] = ['unlock', 'reset', ...(fields.needsAccessCode ? (['access-code'] as const) : [])];
  const acts = isOpen && !isOneself ? actions(actLinks(context, account, names, lock && 'unlock')) : undefined;
  return panel(
    'second-factor',
    texts.secondFactor,
    html`${locked}<p><span class="${kind}">${name}</span> ${more}</p>
${account.mfaRequired ? paragraph(admin.isMfaRequired) : undefined}${authenticatorList(context, account.id, authenticators, isRemovable)}${acts}`,
  );
}

function dataPanel(context: PageContext, { account, isOneself }: UserFields): Html {
  const { admin } = context.t;
  const path = `${context.contextPath}/admin/users/${encodeURIComponent(account.id)}/export`;
  const acts: readonly UserAct[] = isOneself ? [] : [account.status === 'active' ? 'disable' : 'enable', 'delete'];
  return panel(
    'data',
    admin.data,
    actions(html`${buttonLink(path, admin.exportData)}${actLinks(context, account, acts)}`),
  );
}

/** Links to the pages of acts; `next` is highlighted as the most likely one. */
function actLinks({ t, contextPath }: PageContext, { id }: Account, acts: readonly UserAct[], next?: UserAct): Html {
  const links = acts.map((act) => {
    const kind = act === next ? 'primary' : actRule(act).isDangerous ? 'danger' : '';
    return buttonLink(contextPath + adminUserPath(id, act), t.admin.acts[act].label, kind);
  });
  return html`${links}`;
}

function actions(links: Html): Html {
  return html`<div class="actions">${links}</div>
`;
}
