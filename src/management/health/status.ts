/** The order of statuses and their HTTP mapping. */
export interface StatusRules {
  /** Worst first; other statuses are ignored. */
  readonly order: readonly string[];
  /** HTTP status by health status; 200 for other statuses. */
  readonly httpMapping: ReadonlyMap<string, number>;
}

export const UP = 'UP';
export const DOWN = 'DOWN';
export const OUT_OF_SERVICE = 'OUT_OF_SERVICE';
const UNKNOWN = 'UNKNOWN';

/** The defaults of the management API, "Status aggregation and HTTP code". */
export const DEFAULT_ORDER: readonly string[] = [DOWN, OUT_OF_SERVICE, UP, UNKNOWN];
export const DEFAULT_HTTP_MAPPING: ReadonlyMap<string, number> = new Map([
  [DOWN, 503],
  [OUT_OF_SERVICE, 503],
]);

/** Returns the status that comes first in the order. */
export function worstOf(statuses: readonly string[], { order }: StatusRules): string {
  for (const wanted of order) {
    const found = statuses.find((status) => isSame(status, wanted));
    if (found !== undefined) return found;
  }
  return UNKNOWN;
}

export function httpStatusOf(status: string, { httpMapping }: StatusRules): number {
  for (const [name, http] of httpMapping) if (isSame(name, status)) return http;
  return 200;
}

/** Compares without case and punctuation: `out-of-service` is `OUT_OF_SERVICE`. */
function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(status: string): string {
  return status.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}
