import { type Html, html } from '../../kernel/encoding/html.js';

/** Parts of a mail in their order. Values may contain text of users: both forms keep it inert. */
export type MailPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [label: string, value: string])[] }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | { readonly kind: 'footer'; readonly lines: readonly FooterLine[] };

/** Line of the footer: a text, or a link with its label. */
type FooterLine = string | { readonly label: string; readonly url: string };

/** Title and parts of one mail, in the language of its reader. */
export interface MailContent {
  readonly title: string;
  readonly parts: readonly MailPart[];
}

export interface MailLayout extends MailContent {
  /** BCP 47 tag. */
  readonly tag: string;
}

/**
 * Characters that could make a value look like another part: line breaks, controls, and characters that reorder text.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;
const MAX_VALUE_LENGTH = 255;

/** Prepares a value of a user: one line of at most 255 characters. */
export function mailValue(text: string): string {
  return text.toWellFormed().replaceAll(UNSEEN, ' ').trim().slice(0, MAX_VALUE_LENGTH).toWellFormed();
}

/** Writes the plain text and the HTML document of a mail; neither loads anything from elsewhere. */
export function layOutMail({ tag, title, parts }: MailLayout): { readonly text: string; readonly html: string } {
  const content = parts.map(htmlOf);
  return {
    text: `${parts.map(textOf).join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 16px">${title}</h1>
${content}</div>
</body>
</html>
`.html,
  };
}

function textOf(part: MailPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'facts':
      return part.facts.map(([label, value]) => `${label}: ${mailValue(value)}`).join('\n');
    case 'link':
      return `${part.label}:\n${part.url}`;
    case 'footer':
      // The separator of signatures (RFC 3676 section 4.3).
      return ['-- ', ...part.lines.map(lineTextOf)].join('\n');
  }
}

function htmlOf(part: MailPart): Html {
  switch (part.kind) {
    case 'text':
      return html`<p style="margin:0 0 16px">${part.text}</p>
`;
    case 'facts':
      return html`<table style="margin:0 0 16px;border-collapse:collapse">
${part.facts.map(
  ([
    label,
    value,
  ]) => html`<tr><th scope="row" style="text-align:left;vertical-align:top;padding:2px 16px 2px 0;font-weight:600">${label}</th><td style="padding:2px 0;overflow-wrap:anywhere">${mailValue(value)}</td></tr>
`,
)}</table>
`;
    case 'link':
      return html`<p style="margin:0 0 16px"><a href="${part.url}" style="display:inline-block;padding:10px 18px;border:1px solid;border-radius:6px;font-weight:600">${part.label}</a></p>
`;
    case 'footer':
      return html`<p style="margin:24px 0 0;font-size:14px">${part.lines.map(lineHtmlOf)}</p>
`;
  }
}

function lineTextOf(line: FooterLine): string {
  return typeof line === 'string' ? line : `${line.label}: ${line.url}`;
}

function lineHtmlOf(line: FooterLine, index: number): Html {
  const content = typeof line === 'string' ? line : html`<a href="${line.url}">${line.label}</a>`;
  return index === 0 ? html`${content}` : html`<br>${content}`;
}
