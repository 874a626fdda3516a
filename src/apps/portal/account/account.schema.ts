import * as v from 'valibot';
import { password } from '../../../signin/auth/api/login.schema.js';
import { LANGUAGES } from '../../../identity/account/language.js';
import { formEntries, setupForm, typedCode, typedName } from '../form/forms.schema.js';
import { credentialField } from '../form/passkey-field.js';

const MAX_TYPED_ADDRESS = 1024;
/** Id of a session, device or event; 64 characters at most. */
const id = v.pipe(v.string(), v.maxLength(64));

/** Confirmations that the overview shows after an act. */
const DONE = [
  ...(['password', 'session', 'sessions', 'device', 'off', 'language'] as const),
  ...(['renamed', 'removed', 'passkey', 'app', 'emailSent'] as const),
] as const;
export type Done = (typeof DONE)[number];

export const overviewQuery = v.object({ done: v.fallback(v.optional(v.picklist(DONE)), undefined) });

export const endDeviceForm = v.strictObject({ ...formEntries, id });

export const endSessionForm = v.strictObject({
  ...formEntries,
  id: v.optional(v.pipe(id, v.description('Without it, all other sessions end.'))),
});

export const languageForm = v.strictObject({ ...formEntries, language: v.picklist(LANGUAGES) });

/** The form asks for a code or a passkey if the last proof of the second factor is too old or too weak. */
export const confirmedForm = v.strictObject({
  ...formEntries,
  code: v.optional(typedCode),
  credential: credentialField,
});

/** The fields of a form that prove the second factor. */
export type ConfirmationForm = Pick<v.InferOutput<typeof confirmedForm>, 'code' | 'credential'>;

export const namedForm = v.strictObject({ ...confirmedForm.entries, name: typedName });

export const newAppForm = v.strictObject({ ...namedForm.entries, replaces: setupForm.entries.replaces });

export const newPasskeyForm = v.strictObject({ ...formEntries, name: typedName, credential: credentialField });

export const passwordForm = v.strictObject({ ...confirmedForm.entries, current: password, new: password });

/** The form itself shows the error for a text that is no address. */
export const addressForm = v.strictObject({
  ...confirmedForm.entries,
  email: v.pipe(v.string(), v.maxLength(MAX_TYPED_ADDRESS)),
  pw: v.optional(v.pipe(password, v.description('The password of an account without a second factor.'))),
});

export const verifyAddressForm = v.strictObject(formEntries);

export const activityQuery = v.object({ after: v.optional(id) });
