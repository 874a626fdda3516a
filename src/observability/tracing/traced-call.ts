import { errorType, type TraceHeaders, withSpan } from './span.js';
import { startCall } from './tracer.js';

const FIRST_ERROR = 400;
const NO_HEADERS: TraceHeaders = {};

/**
 * Calls another service in a span that ends with the head of the response. `send` adds the headers to its request. The
 * span contains no path and no query: both may contain secrets of the receiver.
 */
export async function tracedCall<R extends { readonly status: number }>(
  { method, url }: { readonly method: string; readonly url: string },
  send: (headers: TraceHeaders) => Promise<R>,
): Promise<R> {
  const span = startCall(method);
  if (!span) return send(NO_HEADERS);
  try {
    if (span.isRecording) span.set({ 'http.request.method': method, ...serverOf(url) });
    const response = await withSpan(span, () => send(span.headers()));
    span.set({ 'http.response.status_code': response.status });
    if (response.status >= FIRST_ERROR) span.fail(String(response.status));
    return response;
  } catch (error) {
    span.fail(errorType(error instanceof Error ? (error.cause ?? error) : error));
    throw error;
  } finally {
    span.end();
  }
}

function serverOf(url: string): Readonly<Record<string, string | number>> {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? usual : Number(port) };
}
