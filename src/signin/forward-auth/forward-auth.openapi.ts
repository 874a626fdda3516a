import type { OperationOptions } from '../../platform/web/openapi/operation.js';

export const TAG_DESCRIPTION = 'For proxies that protect applications without a sign-in of their own.';

export const CHECK: OperationOptions = {
  summary: 'Decide whether a request may reach its application',
  description:
    'The proxy describes the request in `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri`, or in `X-Original-Method` and ' +
    '`X-Original-URL`. 200 has `Remote-User`, `Remote-Name`, `Remote-Email`, `Remote-Email-Verified`, `Remote-Groups`, `Remote-Amr` and ' +
    '`Remote-Acr`, and in `Cookie` what the application may get of the cookies. A browser without a sufficient sign-in gets 302, or ' +
    'for nginx 401, with `Location`.',
};
export const SIGN_IN: OperationOptions = {
  summary: 'Begin the sign-in to an application, at its host',
  description: 'Redirects the browser to this service. `return_to` is a path of the application with its query.',
};
export const AUTHORIZE: OperationOptions = {
  summary: 'Sign a user in to an application behind a proxy',
  description:
    'Redirects the browser to the sign-in pages if that is needed, and then to the host of the application with a code.',
};
export const CALLBACK: OperationOptions = {
  summary: 'End the sign-in to an application, at its host',
  description: 'Exchanges the code for a cookie, once and within a minute, and redirects to the application.',
};
