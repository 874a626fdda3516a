import * as v from 'valibot';
import { MAX_LOGIN_ID_LENGTH } from '../../../identity/account/login-id.js';
import { MAX_PASSWORD_BYTES } from '../../../identity/account/password/password-rules.js';
import { AUDIENCES, LOGIN_API, RESOURCE_API } from '../../../kernel/principal/audience.js';
import { normalisedCode } from '../../../identity/second-factor/backup-code/backup-code.js';
import { MAX_AUTHENTICATOR_NAME_LENGTH } from '../../../identity/second-factor/factor-state.js';
import { submittedCode, submittedTotp } from '../../../identity/second-factor/submitted-code.js';
import { textOfBytes } from '../../../platform/web/schema.js';

const MAX_TOKEN_LENGTH = 4096;

export const password = v.pipe(
  textOfBytes(MAX_PASSWORD_BYTES),
  v.description(`At most ${MAX_PASSWORD_BYTES} bytes in UTF-8.`),
);

/** Describes the texts that `submittedTotp` accepts. */
const TOTP = { type: 'string', maxLength: 32, pattern: '^ *(?:[0-9] *){6}$', description: 'Six digits.' };
/** Describes the texts that `normalisedCode` accepts. */
const BACKUP = {
  type: 'string',
  maxLength: 64,
  pattern: '^[ -]*(?:[0-9A-TV-Za-tv-z][ -]*){8}$',
  description: 'A backup code as it was shown; spaces and dashes are ignored.',
};

/** Six digits or a backup code; any other text is rejected before an attempt is charged. */
export const code = v.pipe(v.string(), v.metadata({ anyOf: [TOTP, BACKUP] }), parsedBy(submittedCode));

const totpCode = v.pipe(v.string(), v.metadata(TOTP), parsedBy(submittedTotp));

/** Replaces a text by what `parse` makes of it; a text of which it makes nothing is malformed. */
function parsedBy<T extends object | string>(parse: (text: string) => T | undefined): v.RawTransformAction<string, T> {
  return v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const parsed = parse(dataset.value);
    if (parsed) return parsed;
    addIssue({ message: 'format' });
    return NEVER;
  });
}

/** Describes the texts that `LoginIds` accepts, except for some rare invisible characters. */
const LOGIN_ID = {
  maxLength: MAX_LOGIN_ID_LENGTH,
  pattern: '^\\s*(?!\\s*$)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+\\s*$',
  description: 'The login id, without control characters and other invisible characters.',
};

/** For whom the access token in the response is. */
export const resource = v.optional(
  v.pipe(
    v.picklist(AUDIENCES),
    v.description(
      `For whom the access token in the response is (RFC 8707): resource servers (\`${RESOURCE_API}\`, the default), or the ` +
        `endpoints of this service (\`${LOGIN_API}\`).`,
    ),
  ),
);

export const loginSchema = v.strictObject({
  id: v.pipe(
    v.string(),
    v.minLength(1),
    // In characters, as ids are stored: one may take two UTF-16 units.
    v.check((id) => id.length <= 2 * MAX_LOGIN_ID_LENGTH && Array.from(id).length <= MAX_LOGIN_ID_LENGTH, 'too_long'),
    v.metadata(LOGIN_ID),
  ),
  pw: password,
  new_pw: v.optional(
    v.pipe(
      textOfBytes(MAX_PASSWORD_BYTES),
      v.description('The password that replaces a temporary `pw`; rejected if `pw` is not temporary.'),
    ),
  ),
});

export const secondStepSchema = v.strictObject({
  mfa_token: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_TOKEN_LENGTH)),
  code,
  trust_device: v.optional(v.boolean()),
  resource,
});

/** `POST /login`. */
export const tokenLoginSchema = v.strictObject({ ...loginSchema.entries, resource });

/** `POST /token/refresh`. */
export const refreshSchema = v.strictObject({ resource });

/** Texts without control characters and other invisible characters that are not blank. */
const NAME_FORM = /^(?=.*\S)\P{C}*$/u;

/** A name that a user gives an authenticator; it is shown as text. */
export const authenticatorName = v.pipe(
  v.string(),
  v.check((name) => {
    const longest = MAX_AUTHENTICATOR_NAME_LENGTH;
    return name.length <= 2 * longest && Array.from(name).length <= longest;
  }, 'too_long'),
  v.check((name) => NAME_FORM.test(name), 'format'),
  v.metadata({
    maxLength: MAX_AUTHENTICATOR_NAME_LENGTH,
    pattern: NAME_FORM.source,
    description: 'A name by which the owner tells authenticators apart; spaces around it are removed.',
  }),
  v.transform((name) => name.trim()),
);

/** `PATCH /2fa/authenticators/{id}`. */
export const authenticatorNameSchema = v.strictObject({ name: authenticatorName });

export const codeSchema = v.strictObject({ code });

/** `POST /2fa/verify`. */
export const verifySchema = v.strictObject({ code, resource });

/** `POST /2fa/confirm`: a backup code cannot confirm a secret. */
export const confirmSchema = v.strictObject({ code: totpCode, resource });

/** The temporary access code that the first authenticator of an account may need. */
export const accessCode = v.pipe(
  v.string(),
  v.metadata({ ...BACKUP, description: 'A temporary access code as it was shown; spaces and dashes are ignored.' }),
  parsedBy(normalisedCode),
);

/** `POST /2fa/setup`. */
export const setupSchema = v.strictObject({
  pw: v.optional(password),
  access_code: v.optional(accessCode),
  add: v.optional(
    v.pipe(v.boolean(), v.description('True keeps the active authenticator apps; otherwise it replaces them.')),
  ),
  name: v.optional(authenticatorName),
});
