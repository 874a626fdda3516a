type Exposure = 'recommended' | 'internal' | 'sensitive';

/** Facts that configuration rules and keys need about an endpoint before its class is loaded. */
interface EndpointDefinition {
  /**
   * `recommended` endpoints may be exposed in production, `internal` ones on a management port of their own; `sensitive` ones
   * break configuration rule 7.
   */
  readonly exposure?: Exposure;
  /** The default access; `unrestricted` if omitted. */
  readonly access?: 'none';
  /** The reason why responses are never cached. */
  readonly notCached?: string;
}

/**
 * Every endpoint of the management API, in the order of the configuration reference. The keys of an endpoint follow from
 * its entry; the class with the decorator `@ManagementEndpoint()` and the same id does the work, and startup fails if it
 * is missing.
 */
const DEFINITIONS = {
  health: { exposure: 'recommended' },
  info: { exposure: 'recommended' },
  metrics: { exposure: 'recommended' },
  prometheus: { exposure: 'internal' },
  env: { exposure: 'sensitive' },
  configprops: { exposure: 'sensitive' },
  loggers: { exposure: 'recommended' },
  scheduledtasks: {},
  caches: {},
  httpexchanges: { exposure: 'sensitive' },
  mappings: {},
  threaddump: { exposure: 'sensitive' },
  heapdump: {
    exposure: 'sensitive',
    access: 'none',
    notCached: 'A heap dump is written for one caller and is not kept in memory.',
  },
  logfile: { exposure: 'sensitive', notCached: 'The log file is read for each request and is not kept in memory.' },
  shutdown: {
    exposure: 'sensitive',
    access: 'none',
    notCached: 'The endpoint shutdown has no response that could be cached.',
  },
} as const satisfies Readonly<Record<string, EndpointDefinition>>;

export type EndpointId = keyof typeof DEFINITIONS;

export const ENDPOINT_IDS = Object.keys(DEFINITIONS) as readonly EndpointId[];

export function definitionOf(id: EndpointId): EndpointDefinition {
  return DEFINITIONS[id];
}

export function idsWithExposure(exposure: Exposure): readonly EndpointId[] {
  return ENDPOINT_IDS.filter((id) => definitionOf(id).exposure === exposure);
}

/** Ids are compared without case, `-` and `.` (management API, "Exposure and access"). */
export function isSameId(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

/** True if the text is neither the id of an endpoint nor `*`, which names all of them. */
export function isUnknownId(id: string): boolean {
  return id !== '*' && !ENDPOINT_IDS.some((known) => isSameId(known, id));
}

function normalized(id: string): string {
  return id.toLowerCase().replaceAll(/[-.]/g, '');
}
