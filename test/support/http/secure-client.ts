import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
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

/** One request over HTTP/1.1 on a new connection. */
export async function overHttp1(url: string, path: string, request: SecureRequest): Promise<SecureAnswer> {
  const { method = 'GET', headers = {}, body, ca } = request;
  const sent = httpsRequest(`${url}${path}`, { method, headers, ca, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await wholeText(response) };
}

/** An idle TLS connection; rejects if the handshake fails. */
export async function handshake(url: string, options: ConnectionOptions): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connectTls({ host: hostname, port: Number(port), ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** The first message of a TLS handshake (RFC 8446 section 4.1.2). */
export async function clientHello(): Promise<Buffer> {
  const [clientSide, serverSide] = duplexPair();
  const socket = connectTls({ socket: clientSide }).on('error', () => undefined);
  const [hello] = (await once(serverSide, 'data')) as [Buffer];
  socket.destroy();
  return hello;
}

/** The common name of the certificate of a server. */
export async function nameShown(url: string): Promise<string> {
  const socket = await handshake(url, { rejectUnauthorized: false });
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return String(name);
}
