import * as v from 'valibot';
import { text } from '../../../platform/web/schema.js';
import { loginSchema, password as passwordText } from '../../../signin/auth/api/login.schema.js';
import { credentialField } from './passkey-field.js';

const MAX_TOKEN_LENGTH = 128;
const MAX_CODE_LENGTH = 64;
const MAX_TYPED_NAME_LENGTH = 1024;

/** `return_to` of a query or form; any text but a local path or an address of an allowed origin means the home page. */
export const returnToSchema = v.object({
  return_to: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'Path of this service, or address of an allowed origin, that the browser is finally redirected to.',
      ),
    ),
  ),
});

const again = v.optional(v.pipe(v.string(), v.description('Present if a signed-in user signs in again.')));

const kept = v.pipe(v.literal('true'), v.description('Says that a browser that was kept signed in has signed out.'));
const ended = v.pipe(v.literal('true'), v.description('Says that the session of a form has ended.'));
const loginHint = v.pipe(loginSchema.entries.id, v.description('The login id that the form begins with.'));
export const signInQuery = v.object({
  ...returnToSchema.entries,
  again,
  login_hint: v.fallback(v.optional(loginHint), undefined),
  ended: v.fallback(v.optional(ended), undefined),
  kept: v.fallback(v.optional(kept), undefined),
});

/** Members of every form; the guard has verified `csrf`. */
export const formEntries = {
  csrf: v.pipe(v.string(), v.description('The token of the form.')),
  ...returnToSchema.entries,
};

/** Request of the script of a page while the user types a new password. */
export const typedPassword = v.strictObject({
  csrf: v.pipe(text(MAX_TOKEN_LENGTH), v.description('The token of the form.')),
  password: v.pipe(passwordText, v.description('The new password as far as it is typed.')),
  id: v.optional(v.pipe(loginSchema.entries.id, v.description('The login id of the form.'))),
});

export const passwordHint = v.object({
  score: v.pipe(v.number(), v.description('0 to 4, as zxcvbn estimates it.')),
  problem: v.optional(v.pipe(v.string(), v.description('Why the password would be rejected (errors.md).'))),
});

const keep = v.optional(
  v.pipe(v.literal('true'), v.description('Keeps the browser signed in, if the service permits it.')),
);
export const signInForm = v.strictObject({ ...formEntries, ...loginSchema.entries, again, keep });

export const passkeySignInForm = v.strictObject({ ...formEntries, again, credential: credentialField });

/** The code that a user types; the form itself shows the error for a malformed code. */
export const typedCode = v.pipe(v.string(), v.maxLength(MAX_CODE_LENGTH));

/** The name of an authenticator; the form itself shows the error for a name that `nameIn` rejects. */
export const typedName = v.optional(v.pipe(v.string(), v.maxLength(MAX_TYPED_NAME_LENGTH)), '');

export const codeForm = v.strictObject({ ...formEntries, code: typedCode });

const method = v.optional(
  v.pipe(v.picklist(['totp', 'backup_code']), v.description('The kind of code that the page asks for.')),
);

const required = v.optional(
  v.pipe(
    v.picklist(['otp', 'passkey']),
    v.description('Present if only a one-time code helps, or only a passkey, and no other second factor.'),
  ),
);

export const verifyQuery = v.object({
  ...returnToSchema.entries,
  method: v.fallback(method, undefined),
  required: v.fallback(required, undefined),
});

export const verifyForm = v.strictObject({
  ...formEntries,
  code: v.optional(typedCode),
  credential: credentialField,
  method,
  required,
  trust_device: v.optional(v.pipe(v.literal('true'), v.description('Asks to trust this browser.'))),
  proved: v.optional(
    v.pipe(
      v.string(),
      v.description('When the session last proved the second factor, in epoch seconds; 0 without a proof.'),
    ),
  ),
});

export const signOutForm = v.strictObject(formEntries);

export const setupForm = v.strictObject({
  ...formEntries,
  access_code: v.optional(typedCode),
  replaces: v.optional(
    v.pipe(
      v.string(),
      v.description('Expiry, in epoch seconds, of the pending secret that the user agrees to replace.'),
    ),
  ),
});

export const setupQuery = v.object({
  ...returnToSchema.entries,
  choose: v.optional(
    v.pipe(v.string(), v.description('Present if the user chooses again, although a secret is pending.')),
  ),
});

export const passkeyForm = v.strictObject({
  ...formEntries,
  code: v.optional(
    v.pipe(typedCode, v.description('Code of the authenticator app, or backup code, of a login that lacks a passkey.')),
  ),
  credential: credentialField,
  name: typedName,
});
