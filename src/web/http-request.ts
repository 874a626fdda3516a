import type { IncomingHttpHeaders } from 'node:http';

/** What guards may read of a request; the HTTP framework's own request has more. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** `http` or `https`. */
  readonly protocol: string;
  /** Name and port as the caller wrote them into `Host`. */
  readonly host: string;
  readonly ip: string;
  readonly routeOptions: { readonly url?: string | undefined };
}

/** The matched route, e.g. `/sessions/:id`, without context path; empty where none matched. */
export function templateOf({ routeOptions }: HttpRequest): string {
  return routeOptions.url ?? '';
}
