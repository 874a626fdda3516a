import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import { refreshTo } from './layout.js';
import type { LayoutMessages } from './message-catalogue.js';
import { type FormAnswer, View, type ViewContext } from './view.js';

/** Content of an error page: the text for users about the code, and the request id for support. */
export interface ShownProblem extends Pick<FormAnswer, 'code' | 'requestId' | 'waitSeconds' | 'field'> {
  /** True if the browser requests the page again by itself after that time. */
  readonly isRepeated?: boolean;
  /** Replaces the text of the code. */
  readonly text?: string | undefined;
  /** True above the form that the user corrects. */
  readonly isAboveForm?: boolean;
}

/** Id of the element with the error, to which a field refers. */
export const PROBLEM_ID = 'problem';

/** Errors after which the user signs in; after all others the page leads home. */
const ASKS_TO_SIGN_IN: ReadonlySet<ErrorCode> = new Set([
  ...(['INVALID_TOKEN', 'MFA_TOKEN_INVALID', 'REFRESH_INVALID', 'STEP_UP_REQUIRED', 'CROSS_SITE'] as const),
  'MFA_REQUIRED',
  ...(['SAML_RESPONSE_INVALID', 'SAML_MFA_MISSING', 'SAML_USER_NOT_ALLOWED', 'MFA_STATE_CONFLICT'] as const),
]);

/** Errors that are a regular step of a sign-in. */
const NEXT_STEPS: ReadonlySet<ErrorCode> = new Set(['PASSWORD_CHANGE_REQUIRED', 'PASSKEY_REQUIRED']);
/** Errors that users correct in the form, without help of support. */
const BY_THE_USER: ReadonlySet<ErrorCode> = new Set([
  ...(['PASSWORD_CHANGE_REQUIRED', 'PASSKEY_REQUIRED', 'VALIDATION_FAILED'] as const),
]);

/**
 * The error page, with links below the context path: to `signIn` after an error of a sign-in, otherwise home. A browser
 * requests `next` at once and stays on the page if `next` responds 204.
 */
export function problemPage(problem: ShownProblem, signIn: string, next?: string): View {
  const isSignIn = ASKS_TO_SIGN_IN.has(problem.code);
  return new View((context) => {
    const { t, contextPath } = context;
    const [path, label] = isSignIn ? [signIn, t.common.signIn] : ['/', t.problem.toHome];
    return {
      title: titleOf(problem.code, t),
      // A mailed link may have failed, for example during an outage, whose token still works.
      hasSecretAddress: true,
      body: html`${problemAlert(problem, context)}<p class="actions"><a class="button primary" href="${contextPath}${path}">${label}</a></p>
`,
      ...(next !== undefined && { head: refreshTo(next) }),
    };
  });
}

/**
 * The error as an alert within another page. It takes the focus, so that screen readers begin there; an error of one field leaves
 * the focus to that field, which refers to the alert.
 */
export function problemAlert(problem: ShownProblem, { t }: ViewContext): Html {
  const { code, requestId, text, field, isAboveForm = false } = problem;
  const isNextStep = isAboveForm && NEXT_STEPS.has(code);
  const focused = field === undefined ? html` tabindex="-1" autofocus` : undefined;
  return html`<div class="${isNextStep ? 'note' : 'note bad'}" id="${PROBLEM_ID}" role="alert"${focused}>
<p>${text ?? t.errors[code]}</p>
${waiting(problem, t)}${
    isAboveForm && BY_THE_USER.has(code)
      ? undefined
      : html`<p><small>${t.common.reference(code, requestId)}</small></p>
`
  }</div>
`;
}

function waiting({ waitSeconds, isRepeated = false }: ShownProblem, t: LayoutMessages): Html | undefined {
  if (waitSeconds === undefined) return undefined;
  const { triesAgainIn, tryAgainIn } = t.common;
  return html`<p>${isRepeated ? triesAgainIn(waitSeconds) : tryAgainIn(waitSeconds)}</p>
`;
}

/** The heading of an error page. */
export function titleOf(code: ErrorCode, { problem }: LayoutMessages): string {
  switch (code) {
    case 'NOT_FOUND':
      return problem.titleNotFound;
    case 'INVALID_TOKEN':
      return problem.titleSignIn;
    case 'ACCESS_DENIED':
      return problem.titleDenied;
    case 'MFA_LOCKED':
      return problem.titleLocked;
    default:
      return problem.title;
  }
}
