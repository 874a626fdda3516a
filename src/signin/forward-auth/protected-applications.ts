import type { AccessRules } from './access-rules.js';
import type { RequestHeaders } from './proxied-request.js';

/** Below the context path, at the host of the service and at that of every application. */
const FORWARD_AUTH_PATHS = {
  check: '/forward-auth',
  signIn: '/forward-auth/sign-in',
  authorize: '/forward-auth/authorize',
  callback: '/forward-auth/callback',
} as const;

/** The applications behind a proxy, and the addresses of their sign-ins, which follow from the configuration alone. */
export class ProtectedApplications {
  constructor(
    readonly rules: AccessRules,
    readonly requestHeaders: RequestHeaders,
    /** URL of the service for browsers, with its context path. */
    private readonly serviceUrl: string,
    readonly contextPath: string,
    /** True for a peer that may describe requests. */
    readonly isProxy: (address: string | undefined) => boolean,
  ) {}

  /** True for an application at the host of the pages of this service, which gets their cookies; ports share cookies. */
  isAtOwnHost(origin: string): boolean {
    return new URL(origin).hostname === new URL(this.serviceUrl).hostname;
  }

  /** Where a browser begins a sign-in, at the host of the application. */
  signInUrl(origin: string, uri: string): string {
    return `${origin}${this.contextPath}${FORWARD_AUTH_PATHS.signIn}?return_to=${encodeURIComponent(uri)}`;
  }

  /** Where it goes on, at the host of the service. */
  authorizeUrl(request: string): string {
    return `${this.serviceUrl}${FORWARD_AUTH_PATHS.authorize}?request=${request}`;
  }

  authorizePath(request: string): string {
    return `${this.contextPath}${FORWARD_AUTH_PATHS.authorize}?request=${request}`;
  }

  /** Where it ends, at the host of the application. */
  callbackUrl(origin: string, code: string): string {
    return `${origin}${this.contextPath}${FORWARD_AUTH_PATHS.callback}?code=${code}`;
  }
}
