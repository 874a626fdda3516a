import { ROLE_FORM, rolesWritten } from '../../../identity/account/account.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import type { PageContext } from '../../../signin/messages/page.js';

/** Check boxes on one page; the other known roles are typed. A form has at most a hundred members. */
const MAX_BOXES = 40;

/** The choice of roles in a form. Each check box has the name of its role, since a form has no name twice. */
export type TypedRoles = object & {
  readonly roles?: string | undefined;
  readonly new_roles?: string | undefined;
};

export interface RoleFields {
  /** Names that the configuration or an account has. */
  readonly known: readonly string[];
  /** The choice that an error shows again, or the stored roles. */
  readonly typed: TypedRoles;
  /** Names that the user must confirm. */
  readonly unknown?: readonly string[];
}

/** The roles that are checked or typed. */
export function rolesIn(typed: TypedRoles): readonly string[] {
  return [...checkedIn(typed), ...rolesWritten(typed.roles ?? '')];
}

/** The roles that the user agreed to create. */
export function confirmedRolesIn({ new_roles: confirmed = '' }: TypedRoles): readonly string[] {
  return rolesWritten(confirmed);
}

/** The stored roles, as the form sends them. */
export function typedRoles(roles: readonly string[]): TypedRoles {
  return Object.fromEntries(roles.map((role) => [role, 'true']));
}

function checkedIn(typed: TypedRoles): readonly string[] {
  return Object.keys(typed).filter((name) => ROLE_FORM.test(name));
}

export function roleFields(
  { t: { admin } }: PageContext,
  { known, typed, unknown = [] }: RoleFields,
  hint: string,
): Html {
  const checked = new Set(checkedIn(typed));
  // A role without a box would be removed by the form.
  const others = known.filter((role) => !checked.has(role)).slice(0, Math.max(0, MAX_BOXES - checked.size));
  const names = [...checked, ...others].sort();
  const boxes = names.map(
    (
      role,
    ) => html`<label class="check"><input type="checkbox" name="${role}" value="true"${checked.has(role) ? html` checked` : undefined}> ${role}</label>
`,
  );
  const list = unknown.join(', ');
  const confirmation =
    list === ''
      ? undefined
      : html`<div class="field"><label class="check"><input type="checkbox" name="new_roles" value="${list}"> ${admin.createRoles(list)}</label></div>
`;
  return html`<fieldset><legend>${admin.roles}</legend>
${boxes}</fieldset>
<div class="field"><label for="roles">${admin.otherRoles}</label>
<input id="roles" name="roles" value="${typed.roles ?? ''}" autocapitalize="none" spellcheck="false" autocomplete="off" aria-describedby="roles-hint">
<p class="hint" id="roles-hint">${hint}</p></div>
${confirmation}`;
}
