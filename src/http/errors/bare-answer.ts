import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { sayClose } from '../admission/request-tracker.js';
import { DEFAULT_HEADERS } from '../default-headers.js';

/** Headers that a request asks for, whatever is answered. */
const KEPT = /^(?:strict-transport-security|vary|access-control-.+)$/;

/** An answer with nothing of what was to be said, such as cookies, and past Fastify, which could not send that. */
export function answerBarely(reply: FastifyReply, status: number, type: string, body: string): void {
  reply.hijack();
  const { raw, request } = reply;
  // There is no other answer behind half of one.
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
  sayClose(reply);
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  raw.end(request.method === 'HEAD' ? undefined : body);
}
