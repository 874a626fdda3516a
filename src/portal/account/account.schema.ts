import * as v from 'valibot';
import { password } from '../../auth/api/login.schema.js';
import { LANGUAGES } from '../../messages/messages.js';
import { formEntries, typedCode } from '../form/forms.schema.js';

/** Longest id of a session, device or event. */
const id = v.pipe(v.string(), v.maxLength(64));

/** Notes of the overview about what was just done. */
export const DONE = ['password', 'session', 'sessions', 'device', 'off', 'language'] as const;
export type Done = (typeof DONE)[number];

export const overviewQuery = v.object({ done: v.fallback(v.optional(v.picklist(DONE)), undefined) });

export const endDeviceForm = v.strictObject({ ...formEntries, id });

export const endSessionForm = v.strictObject({
  ...formEntries,
  id: v.optional(v.pipe(id, v.description('Without it, all other sessions end.'))),
});

export const languageForm = v.strictObject({ ...formEntries, language: v.picklist(LANGUAGES) });

/** The form asks for a code if the last proof of the second factor is too old. */
export const confirmedForm = v.strictObject({ ...formEntries, code: v.optional(typedCode) });

export const passwordForm = v.strictObject({ ...confirmedForm.entries, current: password, new: password });

export const activityQuery = v.object({ after: v.optional(id) });
