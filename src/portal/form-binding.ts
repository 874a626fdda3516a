import { requesterOf, type Principal } from '../principal/principal.js';

/** Binds the form of a caller to its login, which keeps its id while its cookie changes. */
export function callerBinding(principal: Principal): string {
  return requesterOf(principal);
}

/** Binds the form of a visitor without a session to the sign-in cookie. */
export function browserBinding(cookie: string): string {
  return `browser:${cookie}`;
}
