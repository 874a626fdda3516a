import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HTML } from '../page/layout.js';
import type { PageRenderer } from '../page/page-renderer.js';
import { View } from '../page/view.js';
import type { Encoding } from './encoding.js';
import type { JsonWriter } from './json-writer.js';

/** Sends the results of controllers. */
export class ResponseSender {
  constructor(
    private readonly json: JsonWriter,
    private readonly encoding: Encoding,
    private readonly pages: PageRenderer | undefined,
  ) {}

  /** Sends pages, JSON and text; returns false for other bodies, which are sent unchanged. */
  send(reply: FastifyReply, body: unknown): boolean {
    if (body instanceof View) return this.sendPage(reply, body);
    const contentType = reply.getHeader('content-type');
    const type = typeof contentType === 'string' ? contentType : undefined;
    if (typeof body === 'string') return this.sendText(reply, type ?? 'text/plain', body);
    if (!isJson(body)) return false;
    const text = this.json.write(body, reply.request.lifecycle?.routeOptions.responseSchema);
    sendAsIs(reply, type === undefined ? this.json.contentType : this.encoding.jsonType(type), text);
    return true;
  }

  private sendPage(reply: FastifyReply, view: View): boolean {
    if (!this.pages) throw new TypeError('this listener has no pages');
    const { body, policy } = this.pages.render(view, reply.request, reply);
    const encoded = this.encoding.text(HTML, body);
    reply.header('content-type', encoded.type).header('content-security-policy', policy).send(encoded.body);
    return true;
  }

  private sendText(reply: FastifyReply, type: string, text: string): boolean {
    if (/^[^;]*\bjson\b/i.test(type)) {
      sendAsIs(reply, this.encoding.jsonType(type), this.encoding.json(text));
      return true;
    }
    if (!/^text\//i.test(type)) return false;
    const encoded = this.encoding.text(type, text);
    reply.header('content-type', encoded.type).send(encoded.body);
    return true;
  }
}

/** Sends a text unchanged. A custom serializer keeps Fastify from adding a character set to a JSON type. */
export function sendAsIs(reply: FastifyReply, type: string, body: string | Buffer): void {
  reply.header('content-type', type).serializer(asIs).send(body);
}

function asIs(text: unknown): string {
  return text as string;
}

function isJson(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return body !== undefined;
  const isBytes = ArrayBuffer.isView(body) || 'pipe' in body || 'getReader' in body || body instanceof StreamableFile;
  return !isBytes && !(body instanceof Error) && !(body instanceof Response);
}
