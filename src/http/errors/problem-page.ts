import type { ErrorCode } from '../../errors/error-code.js';
import { TEXT } from '../../errors/error-text.js';
import { type Html, html } from '../../encoding/html.js';
import { htmlPage, refreshTo } from '../page.js';

/** What a person is told of a refusal: what everybody may read about its code, and how to ask about this one. */
export interface ShownProblem {
  readonly code: ErrorCode;
  readonly requestId: string;
  /** Until another try is of use. */
  readonly waitSeconds?: number | undefined;
  /** Shown in place of the text of the code. */
  readonly text?: string | undefined;
}

/** The page of an error, with a link to `back`. A browser asks for `next` at once, and stays where that answers 204. */
export function problemPage(problem: ShownProblem, back: string, next?: string): string {
  return htmlPage(
    'Sign-in problem',
    html`<p>${textOf(problem.code)}</p>
${waiting(problem)}${mark(problem)}<p><a href="${back}">Sign in</a></p>
`,
    next === undefined ? undefined : refreshTo(next),
  );
}

/** The same as a part of a page that goes on. */
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
