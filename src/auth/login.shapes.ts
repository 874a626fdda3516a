import * as v from 'valibot';
import { LONGEST_LOGIN_ID } from '../account/login-id.js';
import { LONGEST_PASSWORD } from '../account/password-rules.js';
import { submittedCode } from '../mfa/submitted-code.js';
import { textOfBytes } from '../server/body/shape.js';

const LONGEST_TOKEN = 4096;

export const password = textOfBytes(LONGEST_PASSWORD);

/** Six digits or a backup code; what is neither is no attempt and moves no counter. */
export const code = v.pipe(
  v.string(),
  v.check((typed) => submittedCode(typed) !== undefined, 'format'),
);

export const loginShape = v.strictObject({
  id: v.pipe(
    v.string(),
    v.minLength(1),
    // In characters, as ids are stored: one may take two UTF-16 units.
    v.check((id) => id.length <= 2 * LONGEST_LOGIN_ID && Array.from(id).length <= LONGEST_LOGIN_ID, 'too_long'),
  ),
  pw: password,
});

export const secondStepShape = v.strictObject({
  mfa_token: v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_TOKEN)),
  code,
  trust_device: v.optional(v.boolean()),
});

export const codeShape = v.strictObject({ code });
