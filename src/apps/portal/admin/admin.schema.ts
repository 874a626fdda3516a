import * as v from 'valibot';
import { withJsonSchema } from '../../../platform/web/schema.js';
import { ACCOUNT_STATES } from '../../admin/user-filter.js';
import { ROLE_FORM } from '../../../identity/account/account.js';
import { MAX_LOGIN_ID_LENGTH } from '../../../identity/account/login-id.js';
import { importUploadSchema } from '../../admin/api/users-import.schema.js';
import { KINDS } from '../../../identity/events/security-event.js';
import { formEntries } from '../form/forms.schema.js';

const MAX_TEXT = 1024;
const anyText = v.pipe(v.string(), v.maxLength(MAX_TEXT));
/** An optional text; an empty field of a form counts as missing. */
const optionalText = v.optional(
  v.pipe(
    anyText,
    v.transform((text) => (text.trim() === '' ? undefined : text.trim())),
  ),
);
/** Missing unless it is checked. */
const checkbox = v.optional(v.literal('true'));
const justification = { reason: optionalText, ticket: optionalText };

/** Confirmations that the page about a user shows after an act. */
const USER_DONE = [
  ...(['created', 'invited', 'unlocked', 'notLocked', 'removed', 'reset', 'changed', 'disabled', 'enabled'] as const),
  ...(['session', 'sessions', 'device'] as const),
] as const;
export type UserDone = (typeof USER_DONE)[number];

export const usersQuery = v.object({
  query: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(MAX_LOGIN_ID_LENGTH)), ''), ''),
  state: v.fallback(v.optional(v.picklist(ACCOUNT_STATES)), undefined),
  role: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64)), ''), ''),
  inactive: v.fallback(
    v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\d{1,4}$/),
        withJsonSchema({ type: 'integer', minimum: 0, maximum: 9999 }),
        v.transform(Number),
      ),
    ),
    undefined,
  ),
  after: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(MAX_LOGIN_ID_LENGTH))), undefined),
  before: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(MAX_LOGIN_ID_LENGTH))), undefined),
  deleted: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(MAX_LOGIN_ID_LENGTH))), undefined),
});

export const userQuery = v.object({ done: v.fallback(v.optional(v.picklist(USER_DONE)), undefined) });

const id = v.pipe(v.string(), v.maxLength(64));

const roleEntries = {
  roles: v.optional(anyText, ''),
  new_roles: v.optional(v.pipe(anyText, v.description('Unknown roles that the user agrees to create.'))),
};

/** Query of the page of an act: the authenticator to remove. */
export const actQuery = v.object({ authenticator: v.fallback(v.optional(id), undefined) });

export const activityQuery = v.object({ after: v.fallback(v.optional(id), undefined) });

/** The form of a page with check boxes for roles, each of which has the name of its role. */
const withRoles = <E extends v.ObjectEntries>(
  entries: E,
): v.GenericSchema<unknown, v.InferOutput<v.ObjectSchema<E & typeof roleEntries, undefined>>> => {
  const all = { ...entries, ...roleEntries };
  const isKnown = (name: string): boolean => Object.hasOwn(all, name) || ROLE_FORM.test(name);
  return v.pipe(
    v.objectWithRest(all, v.literal('true')),
    v.check((form) => Object.keys(form).every(isKnown), 'unknown'),
  );
};

export const newUserForm = withRoles({
  ...formEntries,
  id: anyText,
  name: optionalText,
  email: optionalText,
  email_verified: checkbox,
  groups: v.optional(anyText, ''),
  access: v.picklist(['invite', 'temporary']),
});

export const justificationForm = v.strictObject({ ...formEntries, ...justification });

export const removalForm = v.strictObject({ ...justificationForm.entries, authenticator: id });

export const changeForm = v.strictObject({
  ...justificationForm.entries,
  name: optionalText,
  email: optionalText,
  email_verified: checkbox,
  groups: v.optional(anyText, ''),
  mfa_required: checkbox,
});

export const rolesForm = withRoles(justificationForm.entries);

export const endForm = v.strictObject({
  ...formEntries,
  id: v.optional(v.pipe(id, v.description('Without it, all sessions end.'))),
});

export const eventsQuery = v.object({
  user: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(MAX_LOGIN_ID_LENGTH)), ''), ''),
  kind: v.fallback(v.optional(v.picklist(['', ...KINDS]), ''), ''),
  from: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64)), ''), ''),
  to: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64)), ''), ''),
  after: v.fallback(v.optional(id), undefined),
  zone: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64)), ''), ''),
});

/** The body of an import, for the description only: the guard verifies the token before the file is received. */
export const importForm = v.strictObject({ csrf: formEntries.csrf, ...importUploadSchema.entries });

export const importQuery = v.object({
  mode: v.fallback(v.optional(v.picklist(['preview', 'all', 'partial']), 'preview'), 'preview'),
});
