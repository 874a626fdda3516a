import Negotiator from 'negotiator';
import { type Html, html } from '../../../kernel/encoding/html.js';

/** Media type of pages. */
export const HTML = 'text/html; charset=utf-8';

/** Element for the head of a page that redirects to `url` without script; `form-action` does not apply to it. */
export function refreshTo(url: string): Html {
  return html`<meta http-equiv="refresh" content="0; url=${url}">
`;
}

/** An HTML document with the declarations that every page needs; `head` and `body` end with a line break. */
export function htmlDocument(head: Html, body: Html, language = 'en', kind = 'plain'): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}</head>
<body class="${kind}">
${body}</body>
</html>
`.html;
}

const PROBLEMS = ['application/problem+json', 'application/json', 'text/html'];

/** True if a caller prefers HTML to JSON; without a preference it gets JSON. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return new Negotiator({ headers: { accept } }).mediaTypes(PROBLEMS)[0] === 'text/html';
}
