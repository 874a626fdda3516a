import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { closeAfterResponse } from '../admission/request-tracker.js';
import { DEFAULT_HEADERS } from '../default-headers.js';

/** Headers that every response to this request needs. */
const KEPT = /^(?:strict-transport-security|vary|access-control-.+)$/;

/** Sends a response without the headers set so far, such as cookies, bypassing Fastify, which has failed to send. */
export function sendBareResponse(reply: FastifyReply, status: number, type: string, body: string): void {
  reply.hijack();
  const { raw, request } = reply;
  // A response that has begun cannot be replaced.
  if (raw.headersSent) {
    raw.destroy();
    return;
  }
  for (const name of Object.keys(reply.getHeaders())) if (!KEPT.test(name)) reply.removeHeader(name);
  reply.headers({
    ...DEFAULT_HEADERS,
    'x-request-id': request.id,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  });
  closeAfterResponse(reply);
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  raw.end(request.method === 'HEAD' ? undefined : body);
}
