import type { FastifyReply } from 'fastify';

/** Status of nginx, unknown to the RFCs, for a client that disconnects before the response; log readers know it. */
export const CLIENT_CLOSED_REQUEST = 499;

/** The status that was sent, once the request has ended. */
export function sentStatus({ raw, request }: FastifyReply): number {
  const { rawStatus } = request.lifecycle ?? {};
  if (rawStatus !== undefined) return rawStatus;
  // The head of a response that waits for an earlier response is written but not sent.
  const hasBegun = raw.writableFinished || (raw.headersSent && raw.socket !== null);
  return hasBegun ? raw.statusCode : CLIENT_CLOSED_REQUEST;
}
