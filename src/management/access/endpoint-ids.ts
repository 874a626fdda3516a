import { isSameId } from './exposure.js';

/** Every endpoint of the management API. */
export const ENDPOINT_IDS = [
  ...(['health', 'info', 'metrics', 'prometheus', 'env', 'configprops', 'loggers', 'scheduledtasks'] as const),
  ...(['caches', 'httpexchanges', 'mappings', 'threaddump', 'heapdump', 'logfile', 'shutdown'] as const),
] as const;

export type EndpointId = (typeof ENDPOINT_IDS)[number];

/** True of what is neither an endpoint nor `*`, which is all of them. */
export function isUnknownId(id: string): boolean {
  return id !== '*' && !ENDPOINT_IDS.some((known) => isSameId(known, id));
}
