import Negotiator from 'negotiator';
import { type Html, html } from '../encoding/html.js';

/**
 * Content-Security-Policy of pages: no script and no style, pictures inside of the page, forms to ourselves. Browsers hold
 * `form-action` against redirects behind a form as well, so a form must not end at another origin.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The same for a page that sends itself on to that URL, by a script of ours. From there the form may be sent further, to
 * origins that only the other side knows, yet from https to https alone.
 */
export function forwardingPolicy(url: string): string {
  return PAGE_POLICY.replace("form-action 'self'", `script-src 'self'; form-action ${new URL(url).protocol}`);
}

/** Media type of pages. */
export const HTML = 'text/html; charset=utf-8';

/** Shown as the title of the start page, and behind the titles of all others. */
export const SERVICE_NAME = 'Login service';

/** For the head of a page: moves a browser on to `url` without script. `form-action` does not apply to it. */
export function refreshTo(url: string): Html {
  return html`<meta http-equiv="refresh" content="0; url=${url}">
`;
}

/** A whole page without script; `head` is more for its head. */
export function htmlPage(title: string, content: Html, head?: Html): string {
  // Under the policy of our headers, no-referrer, browsers say of a form of ours that it comes from the origin `null`.
  return htmlDocument(
    html`<meta name="referrer" content="same-origin">
<title>${title === SERVICE_NAME ? title : `${title} - ${SERVICE_NAME}`}</title>
${head}`,
    html`<main>
<h1>${title}</h1>
${content}</main>
`,
  );
}

/** An HTML document with the declarations that every page needs; `head` and `body` end with a line break. */
export function htmlDocument(head: Html, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}</head>
<body>
${body}</body>
</html>
`.html;
}

const PROBLEMS = ['application/problem+json', 'application/json', 'text/html'];

/** True where a caller would rather read HTML than JSON; who does not say reads JSON. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return new Negotiator({ headers: { accept } }).mediaTypes(PROBLEMS)[0] === 'text/html';
}
