import { type Markup, markup } from '../encoding/html.js';

/** What a form sends beside what is typed in. */
export interface FormFields {
  /** The path it is sent to. */
  readonly action: string;
  /** Its token. */
  readonly csrf: string;
  /** The own path that all ends at. */
  readonly returnTo: string;
}

export function form({ action, csrf, returnTo }: FormFields, content: Markup): Markup {
  return markup`<form method="post" action="${action}">
${hidden('csrf', csrf)}${hidden('return_to', returnTo)}${content}</form>
`;
}

export function hidden(name: string, value: string): Markup {
  return markup`<input type="hidden" name="${name}" value="${value}">
`;
}

export function button(label: string): Markup {
  return markup`<p><button type="submit">${label}</button></p>
`;
}
