import { type Html, html } from '../encoding/html.js';

/** Fields of every form beside the user's input. */
export interface FormFields {
  /** Path that the form is sent to. */
  readonly action: string;
  /** CSRF token. */
  readonly csrf: string;
  /** Local path that the flow ends at. */
  readonly returnTo: string;
}

export function form({ action, csrf, returnTo }: FormFields, content: Html): Html {
  return html`<form method="post" action="${action}">
${hidden('csrf', csrf)}${hidden('return_to', returnTo)}${content}</form>
`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">
`;
}

export function button(label: string): Html {
  return html`<p><button type="submit">${label}</button></p>
`;
}
