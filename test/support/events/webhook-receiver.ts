import { createHmac, randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { readFileSync } from 'node:fs';
import type { MadeCertificate } from '../http/certificates.js';
import { listenAt } from '../programs/free-port.js';
import { waitUntil } from '../runner/wait-until.js';

/** A request that the receiver got. */
export interface Delivery {
  readonly id: string;
  readonly timestamp: number;
  readonly signatures: readonly string[];
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly type: string; readonly data: { readonly id: string; readonly user_id?: string } };
}

type Answer = (delivery: Delivery, response: ServerResponse) => void;

/** The receiver of a webhook, which answers as a test tells it; the default is 204. */
export class WebhookReceiver {
  readonly deliveries: Delivery[] = [];
  answer: Answer = (_, response) => void response.writeHead(204).end();
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly certificate?: MadeCertificate) {}

  get url(): string {
    return `${this.certificate ? 'https' : 'http'}://127.0.0.1:${this.port}/events`;
  }

  async start(): Promise<this> {
    const listener = (request: IncomingMessage, response: ServerResponse): void => void this.receive(request, response);
    const files = this.certificate && {
      cert: readFileSync(this.certificate.certificate),
      key: readFileSync(this.certificate.key),
    };
    const server = files ? createTlsServer(files, listener) : createServer(listener);
    this.port = await listenAt(this.port, server);
    this.server = server;
    return this;
  }

  /** A stopped receiver refuses connections; it can start again at the same port. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  of(userId: string): readonly Delivery[] {
    return this.deliveries.filter(({ body }) => body.data.user_id === userId);
  }

  /** Waits for a number of requests about a user. */
  received(userId: string, number: number): Promise<readonly Delivery[]> {
    return waitUntil(`the receiver got ${number} events of ${userId}`, () => {
      const found = this.of(userId);
      return found.length >= number ? found : undefined;
    });
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const header = (name: string): string => String(request.headers[name] ?? '');
    const delivery = {
      id: header('webhook-id'),
      timestamp: Number(header('webhook-timestamp')),
      signatures: header('webhook-signature').split(' ').filter(Boolean),
      text,
      headers: request.headers,
      body: JSON.parse(text) as Delivery['body'],
    };
    this.deliveries.push(delivery);
    this.answer(delivery, response);
  }
}

/** 32 random bytes in Base64. */
export function newSecret(): string {
  return randomBytes(32).toString('base64');
}

/** Signs as the specification of Standard Webhooks describes it. */
export function signatureOf({ id, timestamp, text }: Delivery, secret: string): string {
  const signed = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${text}`);
  return `v1,${signed.digest('base64')}`;
}
