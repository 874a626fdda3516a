import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from '../default-headers.js';
import { LINGER_MILLIS } from '../body/rest-of-body.js';

/** What the refusal of a request that could not even be read says, or of one that nobody shall answer. */
export interface RawRefusal {
  readonly status: number;
  readonly code: 'VALIDATION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'METHOD_NOT_ALLOWED';
  readonly allow?: string;
  /** Its head, where that could be read. */
  readonly request?: IncomingMessage;
  /** The one that stands in the bytes that could not be read. */
  readonly origin?: string | undefined;
}

/** Judges an error of Node's HTTP parser. */
export function rawRefusal(code: string | undefined): RawRefusal {
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

/** What Node keeps at a socket of an HTTP server. */
type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

/** Answers on a socket whose request could not be read, and closes it; false where nothing could be said. */
export function refuseRaw(
  socket: Socket,
  status: number,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): boolean {
  const { _httpMessage: current, parser } = socket as HttpSocket;
  // The last answer before has said that the connection ends, and is on its way.
  if (socket.writableEnded) return false;
  // The rest of a body that nobody waited for, because its request is answered: a second answer would belong to none.
  const isAnswered = !current && parser?.incoming?.complete === false;
  // Behind the head of another answer, these bytes would be read as part of its body.
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
