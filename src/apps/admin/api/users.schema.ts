import { KEY_PURPOSES } from '../../../identity/token/keys/signing-keys.js';
import * as v from 'valibot';
import { MAX_EMAIL_LENGTH, ROLE_FORM } from '../../../identity/account/account.js';
import { MAX_DISPLAY_NAME_LENGTH } from '../../../identity/account/profile.js';
import { MAX_LOGIN_ID_LENGTH } from '../../../identity/account/login-id.js';
import { KINDS } from '../../../identity/events/security-event.js';
import { amr, authenticator } from '../../../signin/auth/api/responses.schema.js';
import { parseInstant } from '../../../config/bind/instant.js';
import { EXPORT_FORMATS } from '../../../identity/events/event-export.js';
import { listOf, paginationSchema, text, textOfBytes, withJsonSchema } from '../../../platform/web/schema.js';
import { MAX_REASON_LENGTH, TICKET_FORM } from '../act.js';
import { ACCOUNT_STATES } from '../user-filter.js';

const MAX_ROLES = 100;
const MAX_ROLE_LENGTH = 64;
/** All names together have at most as many characters, so no list or name is longer. */
const MAX_GROUPS_LENGTH = 1024;

const reason = v.pipe(
  text(MAX_REASON_LENGTH),
  v.description('Why; stored with the security event. Do not write personal data here.'),
);
const ticket = v.pipe(v.string(), v.regex(TICKET_FORM), v.description('Number of the ticket, such as `HD-4711`.'));

/** Justification of an act; the help desk must state both members. */
export const actSchema = v.strictObject({ reason: v.optional(reason), ticket: v.optional(ticket) });
export const resetSchema = v.strictObject({ reason, ticket: v.optional(ticket) });

const email = text(MAX_EMAIL_LENGTH);
const roles = v.pipe(
  v.array(v.pipe(v.string(), v.regex(ROLE_FORM))),
  v.maxLength(MAX_ROLES),
  v.readonly(),
  v.description('Stored roles; `ROLE_USER` is implied.'),
);
const emailVerified = v.pipe(
  v.boolean(),
  v.description('Whether mails to the address are known to reach the user. Another address is not verified.'),
);
const name = v.pipe(text(MAX_DISPLAY_NAME_LENGTH), v.description('What pages, mails and applications call the user.'));
const groups = v.pipe(
  v.array(text(MAX_GROUPS_LENGTH)),
  v.maxLength(MAX_GROUPS_LENGTH),
  v.readonly(),
  v.description('Groups for applications; they authorize nothing here. A name has at most 64 characters and no comma.'),
);
const mfaRequired = v.pipe(v.boolean(), v.description('Requires a second factor whatever the roles are.'));

/** Body of `POST /admin/users`. */
export const newUserSchema = v.strictObject({
  id: v.pipe(text(MAX_LOGIN_ID_LENGTH), v.description('Login id.')),
  pw: v.optional(
    v.pipe(
      textOfBytes(1024),
      v.description('Initial password. Without it the user cannot sign in before a temporary password is set.'),
    ),
  ),
  email: v.optional(email),
  email_verified: v.optional(emailVerified),
  name: v.optional(name),
  groups: v.optional(groups),
  roles: v.optional(roles),
  mfa_required: v.optional(mfaRequired),
  reason: v.optional(reason),
  ticket: v.optional(ticket),
});

/** Body of `PATCH /admin/users/{sub}`; missing members stay. */
export const userChangeSchema = v.strictObject({
  email: v.optional(v.pipe(v.nullable(email), v.description('`null` removes the address.'))),
  email_verified: v.optional(emailVerified),
  name: v.optional(v.pipe(v.nullable(name), v.description('`null` removes the name.'))),
  groups: v.optional(groups),
  roles: v.optional(roles),
  mfa_required: v.optional(mfaRequired),
  status: v.optional(v.picklist(['active', 'disabled'])),
  reason: v.optional(reason),
  ticket: v.optional(ticket),
});

/** Query of `GET /admin/users`. */
export const usersQuerySchema = v.strictObject({
  query: v.optional(
    v.pipe(text(MAX_LOGIN_ID_LENGTH, 0), v.description('A part of the login id or of the mail address.')),
  ),
  state: v.optional(
    v.pipe(
      v.picklist(ACCOUNT_STATES),
      v.description('`unready` lacks the second factor that policy demands, now or from its date.'),
    ),
  ),
  role: v.optional(v.pipe(text(MAX_ROLE_LENGTH), v.description('A stored role.'))),
  inactive_days: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,4}$/),
      withJsonSchema({
        ...{ type: 'integer', minimum: 0, maximum: 9999 },
        description: 'Only users who did not sign in during so many days, or never.',
      }),
      v.transform(Number),
    ),
  ),
  limit: paginationSchema.entries.limit,
  after: v.optional(v.pipe(text(MAX_LOGIN_ID_LENGTH), v.description('The `next` of the previous slice.'))),
});

const next = v.optional(v.pipe(v.string(), v.description('`after` of the next request, if more may follow.')));
const userEntries = {
  sub: v.pipe(v.string(), v.description('Subject of the access tokens; names the user in paths.')),
  id: v.pipe(v.string(), v.description('Login id.')),
  kind: v.picklist(['local', 'staff']),
  status: v.picklist(['active', 'disabled']),
  roles: listOf(v.string()),
  email: v.nullable(v.string()),
  email_verified: emailVerified,
  name: v.nullable(v.string()),
  groups: listOf(v.string()),
  created: v.date(),
  last_sign_in: v.pipe(
    v.nullable(v.date()),
    v.description('`null` if no sign-in was completed since the upgrade that records it.'),
  ),
  mfa_active: v.boolean(),
  mfa_required: mfaRequired,
};

export const usersResponse = v.object({ items: listOf(v.object(userEntries)), next });

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Response of `GET /admin/users/{sub}`. */
export const userResponse = v.object({
  ...userEntries,
  has_password: v.boolean(),
  password_expires: v.pipe(v.nullable(v.date()), v.description('End of a temporary password.')),
  mfa: v.object({
    state: v.picklist(['none', 'pending', 'active']),
    activated: v.nullable(v.date()),
    backup_codes_remaining: count,
    enrolment_forced: v.pipe(v.boolean(), v.description('The next login must set up a second factor.')),
    locked: v.boolean(),
    locked_until: v.pipe(v.nullable(v.date()), v.description('`null` for a lock that only an administrator ends.')),
  }),
  authenticators: v.optional(
    v.pipe(
      listOf(authenticator),
      v.description('The oldest first. Absent for the help desk if the account has a protected role.'),
    ),
  ),
});

/** Response of `POST /admin/users/{sub}/password`. */
export const passwordResponse = v.object({
  password: v.pipe(v.string(), v.description('Temporary password. Shown only in this response.')),
  expires: v.date(),
});

const device = v.pipe(v.nullable(v.string()), v.description('`User-Agent` of the browser or app.'));
const ip = v.pipe(v.nullable(v.string()), v.description('Address of the client.'));

/** Response of `GET /admin/users/{sub}/sessions`. */
export const userSessionsResponse = v.object({
  items: listOf(
    v.object({
      id: v.pipe(v.string(), v.description('The `sid` of its access tokens.')),
      kind: v.picklist(['token', 'portal', 'kept', 'staff', 'app', 'offline']),
      client: v.optional(v.pipe(v.string(), v.description('The application that has opened it; see `kind`.'))),
      amr,
      idp: v.nullable(v.string()),
      device,
      ip,
      created: v.date(),
      last_used: v.date(),
      expires: v.date(),
    }),
  ),
  next,
});

const kind = v.pipe(v.string(), v.metadata({ enum: KINDS }));
const instant = v.pipe(
  text(64),
  v.check((written) => parseInstant(written) !== undefined, 'format'),
  v.transform((written) => parseInstant(written) ?? 0),
  withJsonSchema({ type: 'string', maxLength: 64 }),
);

const filterEntries = {
  user: v.optional(v.pipe(text(36), v.description('Subject of the user, also of a deleted one.'))),
  kind: v.optional(v.picklist(KINDS)),
  from: v.optional(
    v.pipe(instant, v.description('First instant of the period, such as `2026-11-01` or `2026-11-01T08:00:00Z`.')),
  ),
  to: v.optional(v.pipe(instant, v.description('First instant after the period.'))),
};

/** Query of `GET /admin/events`. */
export const eventsQuerySchema = v.strictObject({ ...filterEntries, ...paginationSchema.entries });
/** Query of `GET /admin/events/export`. */
export const exportQuerySchema = v.strictObject({ format: v.picklist(EXPORT_FORMATS), ...filterEntries });

export const adminEventsResponse = v.object({
  items: listOf(
    v.object({
      id: v.string(),
      time: v.date(),
      kind,
      result: v.pipe(v.string(), v.metadata({ enum: ['ok', 'refused'] })),
      user: v.pipe(v.nullable(v.string()), v.description('Subject of the affected account.')),
      actor: v.pipe(v.nullable(v.string()), v.description('Who acted, if not the account itself.')),
      reason: v.nullable(v.string()),
      ip,
      device,
      request_id: v.nullable(v.string()),
      idp: v.nullable(v.string()),
      authn_context: v.nullable(v.string()),
      amr: v.nullable(amr),
      detail: v.record(v.string(), v.string()),
    }),
  ),
  next,
});

/** Response of `POST /admin/keys/rotate`. */
export const rotatedKeysResponse = v.object({
  keys: listOf(
    v.object({
      purpose: v.picklist(KEY_PURPOSES),
      kid: v.string(),
      signs_from: v.date(),
      is_new: v.pipe(v.boolean(), v.description('False if the next key existed already.')),
    }),
  ),
});

/** Response of `GET /admin/users/{sub}/export`. */
export const personResponse = v.pipe(
  v.looseObject({ exported_at: v.string(), subject: v.string() }),
  v.description(
    'A list of rows for each table with data about the user, with the names of the columns. Instants are ISO 8601.',
  ),
);
