/** HTML that a page includes without escaping. */
export class Html {
  constructor(readonly html: string) {}
}

type Piece = Html | string | number | undefined | readonly Piece[];

/** Builds HTML from a template: texts are escaped, `Html` is inserted unchanged. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((string, index) => string + htmlOf(pieces[index])).join(''));
}

function htmlOf(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Html) return piece.html;
  if (typeof piece === 'object') return piece.map(htmlOf).join('');
  return escaped(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}

/** Converts the Markdown of descriptions: code between backticks. */
export function inlineCode(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Converts Markdown as `inlineCode` does, with paragraphs separated by empty lines. */
export function paragraphs(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`${text.split('\n\n').map((part) => html`<p>${inlineCode(part)}</p>`)}`;
}
