import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { duplexPair } from 'node:stream';
import { text as wholeText } from 'node:stream/consumers';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';

export interface SecureAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface SecureRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /** PEM text of the certificate to trust. */
  readonly ca: string;
}

export const JSON_BODY = { 'content-type': 'application/json' };

/** One request over HTTP/1.1 on a connection of its own. */
export async function overHttp1(url: string, path: string, request: SecureRequest): Promise<SecureAnswer> {
  const { method = 'GET', headers = {}, body, ca } = request;
  const sent = httpsRequest(`${url}${path}`, { method, headers, ca, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await wholeText(response) };
}

/** A connection of HTTP/2 that is closed at the end of the test file at the latest. */
export async function http2Session(url: string, ca: string): Promise<ClientHttp2Session> {
  const session = connectHttp2(url, { ca });
  await once(session, 'connect');
  // What a test provokes shows in its streams.
  session.on('error', () => undefined);
  return session;
}

/** One request on a session; fails where its stream is reset. Its answer may come before all of the body is sent. */
export function overHttp2(
  session: ClientHttp2Session,
  path: string,
  { method = 'GET', headers = {}, body }: Omit<SecureRequest, 'ca'> = {},
): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers });
    const chunks: Buffer[] = [];
    let answer: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
    stream.on('error', reject).on('close', () => {
      reject(new Error(`the stream was reset with ${stream.rstCode}`));
    });
    stream.on('response', (received) => (answer = received)).on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      resolve({ status: answer[':status'] ?? 0, headers: answer, text: Buffer.concat(chunks).toString() });
      stream.destroy();
    });
    stream.end(body);
  });
}

/** A TLS connection and nothing on it; fails where the handshake does. */
export async function handshake(url: string, options: ConnectionOptions): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connectTls({ host: hostname, port: Number(port), ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** The first message of a TLS handshake, as a client would send it (RFC 8446 section 4.1.2). */
export async function clientHello(): Promise<Buffer> {
  const [clientSide, serverSide] = duplexPair();
  const socket = connectTls({ socket: clientSide }).on('error', () => undefined);
  const [hello] = (await once(serverSide, 'data')) as [Buffer];
  socket.destroy();
  return hello;
}

/** The common name of the certificate that a server shows. */
export async function nameShown(url: string): Promise<string> {
  const socket = await handshake(url, { rejectUnauthorized: false });
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return String(name);
}
