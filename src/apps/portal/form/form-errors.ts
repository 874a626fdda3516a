import { LANGUAGES } from '../../../identity/account/language.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Reason } from '../../../kernel/errors/reason.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { retryAfterSeconds } from '../../../platform/http/errors/problem.js';
import { problemAlert } from '../../../platform/http/page/problem-page.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { type Messages, messagesOf } from '../../../signin/messages/messages.js';
import { requestContext } from '../../../kernel/principal/request-context.js';

/** Errors that the form for a code shows itself. */
export const CODE_ERRORS: ReadonlySet<ErrorCode> = new Set(['MFA_CODE_INVALID', 'MFA_LOCKED', 'VALIDATION_FAILED']);

/** Renders the form with an alert about the error. */
type RenderForm = (alert: PagePart, error: ServiceError) => View | Promise<View>;
/** Text of the alert for an error; undefined selects the text of its code. */
type ErrorText = (error: ServiceError) => ((t: Messages) => string) | undefined;

/** Runs the step of a form; an error with one of these codes shows the form again with an alert. */
export async function rerenderOnError<T>(
  codes: ReadonlySet<ErrorCode>,
  form: RenderForm,
  step: () => Promise<T>,
  tell?: ErrorText,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof ServiceError && codes.has(error.code) ? await withForm(error, form, tell) : error;
  }
}

/** The same error, with the page that shows the form again. */
export async function withForm(
  error: ServiceError,
  form: RenderForm,
  tell: ErrorText = () => undefined,
): Promise<HttpError> {
  const requestId = requestContext()?.requestId ?? '';
  const { code } = error;
  const shown = { code, requestId, waitSeconds: retryAfterSeconds(error), field: fieldOf(error) };
  const textOf = tell(error);
  const alert: PagePart = (context) =>
    problemAlert({ ...shown, text: textOf?.(context.t), isAboveForm: true }, context);
  const page = await form(alert, error);
  const texts = textOf && Object.fromEntries(LANGUAGES.map((language) => [language, textOf(messagesOf(language))]));
  return HttpError.withPage(error, page.answering({ ...shown, texts }));
}

/** Reasons of a rejected passkey, which no field of a form has. */
export const OF_PASSKEY: ReadonlySet<Reason | undefined> = new Set([
  ...(['challenge', 'unknown_passkey', 'wrong_passkey', 'passkey_counter'] as const),
]);

/** Id of the field that the error is about: a code, so far. */
function fieldOf({ code, facts: { errors, reason } }: ServiceError): string | undefined {
  if (code === 'MFA_CODE_INVALID') return OF_PASSKEY.has(reason) ? undefined : 'code';
  return errors?.[0]?.field === 'code' ? 'code' : undefined;
}
