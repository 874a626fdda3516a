import { requesterOf, type Principal } from '../principal/principal.js';

/** What the token of a form is bound to: a login, complete or not, which keeps its id while its cookie changes. */
export function callerBinding(principal: Principal): string {
  return requesterOf(principal);
}

/** Or the browser of a stranger, by the value of its cookie. */
export function browserBinding(cookie: string): string {
  return `browser:${cookie}`;
}
