import { activeTracer } from '../../../observability/tracing/tracer.js';
import type { RequestLifecycle } from '../admission/request-tracker.js';
import { KNOWN_METHODS, sentMethod } from '../methods.js';
import { hostAndPort } from '../proxy/host-and-port.js';
import { CLIENT_CLOSED_REQUEST, sentStatus } from '../sent-status.js';

const FIRST_SERVER_ERROR = 500;
const UNKNOWN_METHOD = '_OTHER';

/**
 * Starts the span of a request, by the semantic conventions of OpenTelemetry for HTTP servers; none for probes and
 * operators. Paths contain ids of users, so that the template of the route stands for the path.
 */
export function beginSpan(lifecycle: RequestLifecycle): void {
  const tracer = activeTracer();
  if (!tracer || lifecycle.routeOptions.isManagement) return;
  const { request } = lifecycle.reply;
  const { url: route } = request.routeOptions;
  const method = methodOf(lifecycle);
  const shownMethod = method === UNKNOWN_METHOD ? 'HTTP' : method;
  const span = tracer.startRequest(route === undefined ? shownMethod : `${shownMethod} ${route}`, request.headers);
  lifecycle.span = span;
  if (!span.isRecording) return;
  const { host, port } = hostAndPort(request.host) ?? {};
  span.set({
    'http.request.method': method,
    'url.scheme': request.protocol,
    'network.protocol.version': request.raw.httpVersion,
    ...(route !== undefined && { 'http.route': route, 'url.path': route }),
    ...(host !== undefined && { 'server.address': host }),
    ...(port !== undefined && { 'server.port': port }),
  });
}

/** Ends the span of a request whose response is sent or whose client has disconnected; a second call does nothing. */
export function endSpan(lifecycle: RequestLifecycle): void {
  const { span, errorCode, hasEndedSpan } = lifecycle;
  if (!span || hasEndedSpan) return;
  lifecycle.hasEndedSpan = true;
  if (span.isRecording) {
    const status = sentStatus(lifecycle.reply);
    // No response was sent, and the client knows why.
    if (status === CLIENT_CLOSED_REQUEST) span.set({ 'error.type': 'client_disconnected' });
    else span.set({ 'http.response.status_code': status });
    if (status >= FIRST_SERVER_ERROR) span.fail(errorCode ?? String(status));
  }
  span.end();
}

function methodOf({ reply }: RequestLifecycle): string {
  const method = sentMethod(reply.request.raw);
  return KNOWN_METHODS.has(method) ? method : UNKNOWN_METHOD;
}
