import { type Html, html } from '../../../kernel/encoding/html.js';
import { PASSWORD_STRENGTH_PATH } from '../../../signin/auth/page-paths.js';
import type { PageContext } from '../../../signin/messages/page.js';

/** Fields of every form beside the user's input. */
export interface FormFields {
  /** Path to which the form is sent. */
  readonly action: string;
  /** CSRF token. */
  readonly csrf: string;
  /** Target of the redirect at the end of the flow: a local path, or an address of an allowed origin. */
  readonly returnTo: string;
  /** Path and query of the page with this form. */
  readonly address: string;
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

/** The primary button that submits a form. */
export function submitButton(label: string): Html {
  return html`<button type="submit" class="primary">${label}</button>
`;
}

/** Appears if the service does not respond at once to a form, such as one whose password waits for its turn (overload.md). */
export function waitingNote({ t }: PageContext): Html {
  return html`<p role="status"><small data-waiting hidden>${t.common.waiting}</small></p>
`;
}

/** A secondary button; `danger` marks an act that cannot be undone. */
export function button(label: string, kind: '' | 'danger' | 'plain' = ''): Html {
  return html`<button type="submit"${kind === '' ? undefined : html` class="${kind}"`}>${label}</button>
`;
}

/** A link that looks like a button. */
export function buttonLink(path: string, label: string, kind: '' | 'primary' | 'danger' = ''): Html {
  return html`<a class="${['button', kind].join(' ').trim()}" href="${path}">${label}</a>
`;
}

interface PasswordField {
  readonly id: string;
  readonly label: string;
  readonly autocomplete: 'current-password' | 'new-password';
  /** Minimum length, which the browser shows and enforces. */
  readonly minLength?: number;
  readonly isFocused?: boolean;
}

/** Password input with a button that shows the password. */
export function passwordField(
  context: PageContext,
  { id, label, autocomplete, minLength, isFocused }: PasswordField,
): Html {
  const { t } = context;
  const hint =
    minLength === undefined
      ? undefined
      : html`<p class="hint" id="${id}-hint">${t.newPassword.hint(minLength)}</p>
${strengthMeter(context, id, minLength)}`;
  const rule = minLength === undefined ? undefined : html` minlength="${minLength}" aria-describedby="${id}-hint"`;
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="secret"><input id="${id}" name="${id}" type="password" autocomplete="${autocomplete}"${rule}${focus(isFocused)} required>
<button type="button" hidden data-show-password="${id}" data-show="${t.common.show}" data-hide="${t.common.hide}" \
aria-controls="${id}" aria-pressed="false">${t.common.show}</button></div>
${hint}</div>
`;
}

/** Shows how strong the password in a field is, by script: its page must have the need `newPassword`. */
function strengthMeter({ t, contextPath }: PageContext, id: string, minLength: number): Html {
  const { too_short: tooShort } = t.newPassword;
  const texts = JSON.stringify({ ...t.newPassword, ...t.passwordMeter, too_short: tooShort(minLength) });
  return html`<div class="hint strength" data-strength="${id}" data-estimate="${contextPath}${PASSWORD_STRENGTH_PATH}" \
data-texts="${texts}" hidden><meter min="0" max="4" low="2" high="3" optimum="4" aria-label="${t.passwordMeter.label}"></meter>
<span role="status"></span></div>
`;
}

/** Attribute that focuses a field when the page opens. */
export function focus(isFocused = false): Html | undefined {
  return isFocused ? html` autofocus` : undefined;
}

/** A box with a message. */
export function note(kind: '' | 'good' | 'warn' | 'bad', content: Html): Html {
  return html`<div class="${`note ${kind}`.trim()}">${content}</div>
`;
}

export function paragraph(text: string): Html {
  return html`<p>${text}</p>
`;
}

/** A part of a page with a heading of its own. */
export function panel(id: string, title: string, content: Html): Html {
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}</section>
`;
}
