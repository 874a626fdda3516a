/** HTML that may stand in a page as it is. */
export class Markup {
  constructor(readonly html: string) {}
}

type Piece = Markup | string | number | undefined | readonly Piece[];

/** A template of HTML: pieces of it and texts, which are escaped. */
export function markup(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(strings.map((string, index) => string + htmlOf(pieces[index])).join(''));
}

function htmlOf(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Markup) return piece.html;
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

/** The Markdown that descriptions use: code between backticks. */
export function line(text: string): Markup {
  const parts = text.split('`');
  return markup`${parts.map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part))}`;
}

/** The same with paragraphs between empty lines. */
export function paragraphs(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : markup`${text.split('\n\n').map((part) => markup`<p>${line(part)}</p>`)}`;
}
