import Negotiator from 'negotiator';
import { type Html, html } from '../encoding/html.js';

/**
 * Content-Security-Policy of pages: no script, no style, only inline images, forms to the same origin. Browsers apply
 * `form-action` to redirects after a form, too, so a form must not end at another origin.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Content-Security-Policy of a page whose script submits its form to that URL. Redirects may follow to origins that
 * only the other side knows, but only from https to https.
 */
export function forwardingPolicy(url: string): string {
  return PAGE_POLICY.replace("form-action 'self'", `script-src 'self'; form-action ${new URL(url).protocol}`);
}

/** Media type of pages. */
export const HTML = 'text/html; charset=utf-8';

/** Title of the start page and suffix of all other titles. */
export const SERVICE_NAME = 'Login service';

/** For the head of a page: redirects a browser to `url` without script. `form-action` does not apply to it. */
export function refreshTo(url: string): Html {
  return html`<meta http-equiv="refresh" content="0; url=${url}">
`;
}

/** A complete page without script; `head` is added to its head. */
export function htmlPage(title: string, content: Html, head?: Html): string {
  // With the header policy no-referrer, browsers would send a form of ours with the origin `null`.
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

/** True if a caller prefers HTML to JSON; without a preference it gets JSON. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return new Negotiator({ headers: { accept } }).mediaTypes(PROBLEMS)[0] === 'text/html';
}
