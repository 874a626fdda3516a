import type { FastifyReply } from 'fastify';

/** No status of the RFCs: as nginx and those who read its logs say that the client left before there was an answer. */
export const CLIENT_LEFT = 499;

/** The status that went out, once the request is over. */
export function sentStatus({ raw, request }: FastifyReply): number {
  const { rawStatus } = request.passage ?? {};
  if (rawStatus !== undefined) return rawStatus;
  // The head of an answer that waits for an earlier one is written, but went nowhere.
  const isBegun = raw.writableFinished || (raw.headersSent && raw.socket !== null);
  return isBegun ? raw.statusCode : CLIENT_LEFT;
}
