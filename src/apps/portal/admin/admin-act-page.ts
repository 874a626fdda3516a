import type { Account } from '../../../identity/account/account.js';
import { adminUserPath } from '../../../signin/auth/page-paths.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { View } from '../../../platform/http/page/view.js';
import { type PageContext, type PagePart, pageView } from '../../../signin/messages/page.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import { button, buttonLink, form, type FormFields, hidden, paragraph, submitButton } from '../form/forms.js';
import { navigation, type NavigationFields } from '../home/navigation.js';
import { authenticatorFacts } from '../account/authenticator-facts.js';
import { roleFields, typedRoles } from './role-fields.js';
import { actRule, type UserAct } from './user-acts.js';

/** The input of the form of an act. */
export interface TypedAct {
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly email_verified?: string | undefined;
  readonly groups?: string | undefined;
  readonly roles?: string | undefined;
  readonly new_roles?: string | undefined;
  readonly mfa_required?: string | undefined;
  readonly authenticator?: string | undefined;
}

/** Content of the page of an act. */
export interface ActFields {
  readonly navigation: NavigationFields;
  readonly act: UserAct;
  readonly account: Account;
  readonly form: FormFields;
  readonly isAdministrator: boolean;
  /** The authenticator to remove; set on the page that asks for its removal. */
  readonly authenticator?: Authenticator;
  readonly alert?: PagePart;
  /** Set on the page that asks for roles: those that the configuration or an account has. */
  readonly knownRoles?: readonly string[];
  /** Unknown roles, which the user must confirm. */
  readonly newRoles?: readonly string[];
  /** The input that an invalid form is shown again with. */
  readonly typed?: TypedAct;
}

/** `GET /portal/admin/users/{sub}/{act}`: describes the act and asks for its reason. */
export function actPage(fields: ActFields): View {
  const { act, account, alert } = fields;
  return pageView((context) => {
    const { title, text, label } = context.t.admin.acts[act];
    const { common } = context.t;
    const submit = act === 'change' || act === 'roles' ? common.save : label;
    return {
      title: title(account.loginId),
      navigation: navigation(context, fields.navigation),
      body: html`<div class="panel narrow">
${alert?.(context)}${paragraph(text)}${act === 'delete' ? exportLink(context, account) : undefined}${form(
        fields.form,
        html`${ownFields(context, fields)}${justificationFields(context, fields)}<div class="actions">${
          actRule(act).isDangerous ? button(submit, 'danger') : submitButton(submit)
        }${buttonLink(context.contextPath + adminUserPath(account.id), common.cancel)}</div>
`,
      )}</div>
`,
    };
  });
}

function exportLink({ t, contextPath }: PageContext, { id }: Account): Html {
  return html`<p class="actions">${buttonLink(`${contextPath}/admin/users/${encodeURIComponent(id)}/export`, t.admin.exportFirst)}</p>
`;
}

/** Fields of an act besides reason and ticket: with the stored values, or after an error with the input. */
function ownFields(context: PageContext, fields: ActFields): Html | undefined {
  const { act, account, authenticator, typed, knownRoles: known, newRoles: unknown = [] } = fields;
  const { admin } = context.t;
  if (authenticator)
    return html`${authenticatorFacts(context, authenticator)}${hidden('authenticator', authenticator.id)}`;
  if (known) {
    const hint = account.kind === 'staff' ? admin.rolesOfStaff : admin.rolesHint;
    return roleFields(context, { known, unknown, typed: typed ?? typedRoles(account.roles) }, hint);
  }
  if (act !== 'change') return undefined;
  return changeFields(context, account, typed ?? typedOf(account));
}

/** The stored values, as the form sends them. An address is marked as verified by a check of its own each time. */
function typedOf({ displayName, email, groups, mfaRequired }: Account): TypedAct {
  return { name: displayName, email, groups: groups.join(', '), mfa_required: mfaRequired ? 'true' : undefined };
}

function changeFields({ t: { admin } }: PageContext, { kind }: Account, typed: TypedAct): Html {
  const { name = '', email = '', groups = '' } = typed;
  return html`<div class="field"><label for="name">${admin.name}</label>
<input id="name" name="name" value="${name}" maxlength="255" autocomplete="off"></div>
<div class="field"><label for="email">${admin.email}</label>
<input id="email" name="email" type="email" value="${email}" maxlength="254" autocomplete="off"></div>
${checkField('email_verified', admin.markVerified, typed.email_verified)}<div class="field"><label for="groups">${admin.groups}</label>
<input id="groups" name="groups" value="${groups}" autocomplete="off" spellcheck="false" aria-describedby="groups-hint">
<p class="hint" id="groups-hint">${kind === 'staff' ? admin.profileOfStaff : admin.groupsHint}</p></div>
${checkField('mfa_required', admin.mfaRequired, typed.mfa_required)}`;
}

/** A check box, which is sent only if it is checked. */
export function checkField(name: string, label: string, value: string | undefined): Html {
  return html`<div class="field"><label class="check"><input type="checkbox" name="${name}" value="true"${value === undefined ? undefined : html` checked`}> ${label}</label></div>
`;
}

/** Fields for reason and ticket, both of which the help desk must state. */
function justificationFields({ t }: PageContext, { act, isAdministrator, typed = {} }: ActFields): Html {
  const { admin } = t;
  const { reason = '', ticket = '' } = typed;
  const needsReason = !isAdministrator || (actRule(act).needsReason ?? false);
  const required = (isRequired: boolean): Html | undefined => (isRequired ? html` required` : undefined);
  return html`<div class="field"><label for="reason">${needsReason ? admin.reason : admin.reasonOptional}</label>
<input id="reason" name="reason" value="${reason}" maxlength="200" autocomplete="off"${required(needsReason)}></div>
<div class="field"><label for="ticket">${isAdministrator ? admin.ticketOptional : admin.ticket}</label>
<input id="ticket" name="ticket" value="${ticket}" maxlength="64" autocomplete="off" autocapitalize="characters"${required(!isAdministrator)}></div>
`;
}
