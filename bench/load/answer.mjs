const HEAD_END = '\r\n\r\n';

/**
 * Parses the response at the start of the received text, only as far as necessary; `length` is its length in the text.
 * Returns undefined while the response is incomplete.
 */
export function answerIn(received) {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = received.slice(0, headEnd);
  const start = headEnd + HEAD_END.length;
  const length = start + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < length) return undefined;
  return { status: Number(head.slice(9, 12)), head, body: received.slice(start, length), length };
}
