import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { HttpError } from '../../../platform/http/errors/http-error.js';
import { retryAfterSeconds } from '../../../platform/http/errors/problem.js';
import { problemAlert } from '../../../platform/http/page/problem-page.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
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
  const { code } = error;
  const requestId = requestContext()?.requestId ?? '';
  const shown = { code, requestId, waitSeconds: retryAfterSeconds(error), isAboveForm: true };
  const alert: PagePart = (context) => problemAlert({ ...shown, text: tell(error)?.(context.t) }, context);
  return HttpError.withPage(error, await form(alert, error));
}
