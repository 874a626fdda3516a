import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from '../default-headers.js';
import { LINGER_MILLIS } from '../body/unread-body.js';

/** Error response to a request that could not be read, or that no handler may process. */
export interface RawRejection {
  readonly status: number;
  readonly code: 'VALIDATION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'METHOD_NOT_ALLOWED';
  readonly allow?: string;
  /** The head of the request, if it could be read. */
  readonly request?: IncomingMessage;
  /** `Origin` as found in the unreadable bytes. */
  readonly origin?: string | undefined;
}

/** Status and code for an error of Node's HTTP parser. */
export function rawErrorOf(code: string | undefined): RawRejection {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'PAYLOAD_TOO_LARGE' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, code: 'PAYLOAD_TOO_LARGE' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'VALIDATION_FAILED' };
    default:
      return { status: 400, code: 'VALIDATION_FAILED' };
  }
}

/** Undocumented members of a socket of Node's HTTP server. */
type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

/** Writes an error response to a socket and closes it; false if the socket cannot take one. */
export function writeRawError(
  socket: Socket,
  status: number,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): boolean {
  const { _httpMessage: current, parser } = socket as HttpSocket;
  // The previous response has already announced the end of the connection.
  if (socket.writableEnded) return false;
  // The rest of a body whose request already has its response: a second response would belong to no request.
  const isAnswered = !current && parser?.incoming?.complete === false;
  // After the head of another response, these bytes would be read as part of its body.
  if (!socket.writable || current?.headersSent === true || isAnswered) {
    socket.destroy();
    return false;
  }
  const all = {
    ...DEFAULT_HEADERS,
    ...(socket instanceof TLSSocket && { 'strict-transport-security': STRICT_TRANSPORT }),
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
  return true;
}
