import * as v from 'valibot';
import { loginSchema } from '../../../signin/auth/api/login.schema.js';
import { linkSchema, newPasswordSchema } from '../../../signin/recovery/api/recovery.schema.js';
import { formEntries, returnToSchema } from '../form/forms.schema.js';

const shown = v.fallback(
  v.optional(v.pipe(v.literal('true'), v.description('Shows the page after the form.'))),
  undefined,
);

/** A page without a token shows the error of an invalid link. */
export const linkQuery = v.object({
  token: v.fallback(linkSchema.entries.token, ''),
  ...returnToSchema.entries,
  done: shown,
});

export const forgotQuery = v.object({ ...returnToSchema.entries, sent: shown });

export const forgotForm = v.strictObject({ ...formEntries, id: loginSchema.entries.id });

export const linkForm = v.strictObject({ ...formEntries, ...linkSchema.entries });

export const choosePasswordForm = v.strictObject({ ...formEntries, ...newPasswordSchema.entries });
