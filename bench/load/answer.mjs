const HEAD_END = '\r\n\r\n';

/**
 * The answer at the start of what was received, read only as far as it is needed; `length` is what it takes of the text.
 * Undefined while some of it is still to come.
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
