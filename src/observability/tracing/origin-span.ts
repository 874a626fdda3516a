import { LruMap } from '../../kernel/collections/lru-map.js';
import { currentSpan, type Span, withSpan } from './span.js';

/** More than are delivered in a second; a trace that is forgotten here ends with its request. */
const MAX_ORIGINS = 1000;

const origins = new LruMap<string, Span>(MAX_ORIGINS);

/**
 * Remembers the operation in progress as the origin of what is stored under `id`, such as a security event: its delivery in
 * the background then continues the trace. Only in this process, until newer origins replace it.
 */
export function rememberOrigin(id: string): void {
  const span = currentSpan();
  if (span) origins.set(id, span);
}

/** Runs the background work for `id` in the trace of its origin, if that is known here. */
export function continueOrigin<T>(id: string, run: () => T): T {
  const span = origins.get(id);
  return span ? withSpan(span, run) : run();
}
