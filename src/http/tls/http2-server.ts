import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  Http2ServerResponse,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
} from 'node:http2';
import type { TlsOptions } from 'node:tls';
import { endWhenIdle } from './http2-session.js';

/** Requests that one connection may have open at once; one more is refused and may be sent again (RFC 9113 5.1.2). */
const MOST_STREAMS = 100;
/** Frames against the protocol, and streams refused, until a connection is closed. */
const MOST_INVALID_FRAMES = 100;
const MOST_REJECTED_STREAMS = 100;
/** Streams that one connection may reset at once, and per second after that, until it is closed (CVE-2023-44487). */
const RESET_BURST = 200;
const RESETS_PER_SECOND = 20;
/** Bytes of the head of a request where nothing is said about it, as in Node. */
const LARGEST_HEAD = 16 * 1024;
/** What each field counts beside its name and value. */
const BYTES_PER_FIELD = 32;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
/** The time (ms) that idle connections of HTTP/1.1 have; a session has the same. */
type Timed = Http2SecureServer & { readonly keepAliveTimeout: number };

/** A server that speaks HTTP/2 with whom asks for it in the TLS handshake (ALPN), and HTTP/1.1 with all others. */
export function createHttp2Server(options: ServerOptions & TlsOptions, handler: Handler): Http2SecureServer {
  const largestHead = options.maxHeaderSize ?? LARGEST_HEAD;
  const server = createSecureServer(
    {
      ...options,
      allowHTTP1: true,
      Http2ServerResponse: Answer,
      settings: { maxConcurrentStreams: MOST_STREAMS, maxHeaderListSize: largestHead },
      maxSessionInvalidFrames: MOST_INVALID_FRAMES,
      maxSessionRejectedStreams: MOST_REJECTED_STREAMS,
      streamResetBurst: RESET_BURST,
      streamResetRate: RESETS_PER_SECOND,
    },
    (request, response) => {
      if (request.httpVersionMajor === 2) {
        if (sizeOf(request.rawHeaders) > largestHead) {
          request.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
          return;
        }
        nameHost(request.headers);
        endWithAnswer(request);
      }
      // Node's request and response of HTTP/2 are made to be used like those of HTTP/1.1.
      handler(request as unknown as IncomingMessage, response as unknown as ServerResponse);
    },
  ) as Timed;
  server.on('session', (session: ServerHttp2Session) => {
    endWhenIdle(session, server.keepAliveTimeout);
  });
  return server;
}

/** An answer without `Connection`, which HTTP/2 does not have (RFC 9113 section 8.2.2) and Node complains about. */
class Answer extends Http2ServerResponse {
  override setHeader(name: string, value: number | string | readonly string[]): void {
    if (name.toLowerCase() !== 'connection') super.setHeader(name, value);
  }

  override writeHead(status: number, ...rest: readonly unknown[]): this {
    const given = rest.find((part): part is OutgoingHttpHeaders => typeof part === 'object' && part !== null);
    const headers = { ...given };
    delete headers.connection;
    return super.writeHead(status, headers);
  }
}

/** Size of a head as HTTP/2 counts it (RFC 9113 section 6.5.2): Node keeps to the limit only once a client has confirmed it. */
function sizeOf(rawHeaders: readonly string[]): number {
  let size = 0;
  // Names and values by turns.
  for (const text of rawHeaders) size += text.length + BYTES_PER_FIELD / 2;
  return size;
}

/**
 * Puts `:authority` where everything looks for the host. Where the caller names two different ones (RFC 9113 section
 * 8.3.1), none is left, and the request refused as one without.
 */
function nameHost(headers: IncomingMessage['headers']): void {
  const authority = headers[':authority'];
  if (typeof authority !== 'string' || authority === headers.host) return;
  if (headers.host === undefined) headers.host = authority;
  else delete headers.host;
}

/** Ends the stream of a request with a body once it is answered. */
function endWithAnswer(request: Http2ServerRequest): void {
  const { stream } = request;
  if (stream.endAfterHeaders) return;
  stream.once('finish', () => {
    if (stream.readableEnded) return;
    // The rest of the body is of no use (RFC 9113 section 8.1).
    stream.close(constants.NGHTTP2_NO_ERROR);
    // A stream of which something was read ends only when all of it is.
    request.resume();
  });
}
