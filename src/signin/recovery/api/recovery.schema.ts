import * as v from 'valibot';
import { loginSchema, password } from '../../auth/api/login.schema.js';
import { text } from '../../../platform/web/schema.js';

const MAX_TOKEN_LENGTH = 128;

const token = v.pipe(text(MAX_TOKEN_LENGTH), v.description('The `token` of the mailed link.'));

export const forgotSchema = v.strictObject({ id: loginSchema.entries.id });

export const newPasswordSchema = v.strictObject({ token, new: password });

export const linkSchema = v.strictObject({ token });
