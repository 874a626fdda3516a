import type { ErrorCode } from '../../errors/error-code.js';
import { TEXT } from '../../errors/error-text.js';
import { type Html, html } from '../../encoding/html.js';
import { htmlPage, refreshTo } from '../page.js';

/** Content of an error page: the public text of the code and the request id. */
export interface ShownProblem {
  readonly code: ErrorCode;
  readonly requestId: string;
  /** Seconds until another attempt can succeed. */
  readonly waitSeconds?: number | undefined;
  /** Replaces the text of the code. */
  readonly text?: string | undefined;
}

/**
 * The error page, with a link to `back`. A browser requests `next` at once and stays on the page if `next` responds
 * 204.
 */
export function problemPage(problem: ShownProblem, back: string, next?: string): string {
  return htmlPage(
    'Sign-in problem',
    html`<p>${textOf(problem.code)}</p>
${waiting(problem)}${mark(problem)}<p><a href="${back}">Sign in</a></p>
`,
    next === undefined ? undefined : refreshTo(next),
  );
}

/** The error as an alert within another page. */
export function problemAlert(problem: ShownProblem): Html {
  return html`<div role="alert">
<p>${problem.text ?? textOf(problem.code)}</p>
${waiting(problem)}${mark(problem)}</div>
`;
}

function textOf(code: ErrorCode): string {
  const { title, page = `${title}.` } = TEXT[code];
  return page;
}

function waiting({ waitSeconds }: ShownProblem): Html {
  if (waitSeconds === undefined) return html``;
  const isLong = waitSeconds >= 120;
  const number = isLong ? Math.ceil(waitSeconds / 60) : waitSeconds;
  return html`<p>Try again in ${number} ${isLong ? 'minutes' : number === 1 ? 'second' : 'seconds'}.</p>
`;
}

function mark({ code, requestId }: ShownProblem): Html {
  return html`<p><small>Code <code>${code}</code>, request <code>${requestId}</code></small></p>
`;
}
