import type { IncomingHttpHeaders } from 'node:http';
import { currentSpan, type Span } from './span.js';

/** Starts traces and exports their spans. */
export interface Tracer {
  /** Starts the span of a request, in the trace that its headers name. */
  startRequest(name: string, headers: IncomingHttpHeaders): Span;
  /** Starts the span of a call to another service in a trace of its own. */
  startCall(name: string): Span;
  /** Exports the remaining spans within a bounded time. */
  close(): Promise<void>;
}

let active: Tracer | undefined;

/**
 * Sets the tracer of the process, as OpenTelemetry has one provider for a process: spans begin in every part of the
 * service. Undefined turns traces off, which is the state at startup.
 */
export function useTracer(tracer: Tracer | undefined): void {
  active = tracer;
}

/** Undefined if traces are off. */
export function activeTracer(): Tracer | undefined {
  return active;
}

/** A call to another service: part of the operation in progress, or a trace of its own in the background. */
export function startCall(name: string): Span | undefined {
  return active && (currentSpan()?.child(name, { isCall: true }) ?? active.startCall(name));
}
