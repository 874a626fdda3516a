import * as v from 'valibot';
import { loginSchema } from '../auth/api/login.schema.js';

const MAX_CODE_LENGTH = 64;

/** `return_to` of a query or form: whatever is no path of ours stands for the start page. */
export const returnToSchema = v.object({
  return_to: v.optional(v.pipe(v.string(), v.description('Where the browser goes on in the end: a path of ours.'))),
});

const again = v.optional(v.pipe(v.string(), v.description('Present where a signed-in user signs in again.')));

export const signInQuery = v.object({ ...returnToSchema.entries, again });

/** What every form sends; the guard has looked at `csrf`. */
const common = {
  csrf: v.pipe(v.string(), v.description('The token that stands in the form.')),
  ...returnToSchema.entries,
};

export const signInForm = v.strictObject({ ...common, ...loginSchema.entries, again });

/** What is no code is told in the form itself. */
export const codeForm = v.strictObject({ ...common, code: v.pipe(v.string(), v.maxLength(MAX_CODE_LENGTH)) });

export const verifyForm = v.strictObject({
  ...codeForm.entries,
  proved: v.optional(
    v.pipe(
      v.string(),
      v.description('When the session had proved the second factor before, in epoch seconds; 0: never.'),
    ),
  ),
});

export const signOutForm = v.strictObject(common);

export const setupForm = v.strictObject({
  ...common,
  replaces: v.optional(
    v.pipe(v.string(), v.description('The end of the pending secret, in epoch seconds, that the user agrees to lose.')),
  ),
});
