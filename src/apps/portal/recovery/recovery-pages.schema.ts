import * as v from 'valibot';
import { loginSchema } from '../../../signin/auth/api/login.schema.js';
import { linkSchema, newPasswordSchema } from '../../../signin/recovery/api/recovery.schema.js';
import { formEntries } from '../form/forms.schema.js';

/** A page without a token shows the error of an invalid link. */
export const linkQuery = v.object({ token: v.fallback(linkSchema.entries.token, '') });

export const forgotForm = v.strictObject({ ...formEntries, id: loginSchema.entries.id });

export const linkForm = v.strictObject({ ...formEntries, ...linkSchema.entries });

export const choosePasswordForm = v.strictObject({ ...formEntries, ...newPasswordSchema.entries });
