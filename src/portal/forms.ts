import { type Html, html } from '../encoding/html.js';

/** What a form sends beside what is typed in. */
export interface FormFields {
  /** The path it is sent to. */
  readonly action: string;
  /** Its token. */
  readonly csrf: string;
  /** The own path that all ends at. */
  readonly returnTo: string;
}

export function form({ action, csrf, returnTo }: FormFields, content: Html): Html {
  return html`<form method="post" action="${action}">
    ${hidden('csrf', csrf)}${hidden('return_to', returnTo)}${content}
  </form> `;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" /> `;
}

export function button(label: string): Html {
  return html`<p><button type="submit">${label}</button></p> `;
}
