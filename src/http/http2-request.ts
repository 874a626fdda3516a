import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest, ServerHttp2Stream } from 'node:http2';

/** The stream of a request that came over HTTP/2; what only says so, over HTTP/1, has none. */
export function streamOf(request: IncomingMessage): ServerHttp2Stream | undefined {
  return 'stream' in request ? (request as unknown as Http2ServerRequest).stream : undefined;
}
