import * as v from 'valibot';
import { loginSchema, password } from '../../auth/api/login.schema.js';
import { MAX_EMAIL_LENGTH } from '../../../identity/account/account.js';
import { text } from '../../../platform/web/schema.js';

const MAX_TOKEN_LENGTH = 128;

const token = v.pipe(text(MAX_TOKEN_LENGTH), v.description('The `token` of the mailed link.'));

export const forgotSchema = v.strictObject({ id: loginSchema.entries.id });

export const newPasswordSchema = v.strictObject({ token, new: password });

/** `POST /me/email`. */
export const ownAddressSchema = v.strictObject({
  email: v.pipe(text(MAX_EMAIL_LENGTH), v.description('Another address, or the present one to verify it.')),
  pw: v.optional(v.pipe(password, v.description('For an account without a second factor whose login is not recent.'))),
});

export const linkSchema = v.strictObject({ token });
