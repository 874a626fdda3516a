import type { ErrorCode } from '../errors/error-code.js';
import { ServiceError } from '../errors/service-error.js';
import { requestFacts } from '../principal/request-facts.js';
import type { Markup } from '../server/markup.js';
import { waitOf } from '../server/problem/problem.js';
import { problemAlert } from '../server/problem/problem-page.js';

/** Does what a form asks for; refused with one of these codes, a person sees the form once more, with the reason to be told. */
export async function orAgain<T>(
  codes: ReadonlySet<ErrorCode>,
  form: (alert: Markup) => string | Promise<string>,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof ServiceError && codes.has(error.code) ? await withForm(error, form) : error;
  }
}

/** The same refusal, which shows a person a form. */
export async function withForm(
  error: ServiceError,
  form: (alert: Markup) => string | Promise<string>,
): Promise<ServiceError> {
  const { code, facts } = error;
  const requestId = requestFacts()?.requestId ?? '';
  const page = await form(problemAlert({ code, requestId, waitSeconds: waitOf(error) }));
  return new ServiceError(code, { ...facts, cause: error, page });
}
