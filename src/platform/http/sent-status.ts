import type { FastifyReply } from 'fastify';

/** Not a status of the RFCs: nginx and its log readers use it if the client disconnects before the response. */
export const CLIENT_CLOSED_REQUEST = 499;

/** The status that was sent, once the request has ended. */
export function sentStatus({ raw, request }: FastifyReply): number {
  const { rawStatus } = request.lifecycle ?? {};
  if (rawStatus !== undefined) return rawStatus;
  // The head of a response that waits for an earlier response is written but not sent.
  const hasBegun = raw.writableFinished || (raw.headersSent && raw.socket !== null);
  return hasBegun ? raw.statusCode : CLIENT_CLOSED_REQUEST;
}
