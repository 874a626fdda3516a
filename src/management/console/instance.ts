/** What the console is told of this process (management API, "Clients and what they need"). */
export interface Instance {
  readonly name: string;
  readonly managementUrl: string;
  readonly healthUrl: string;
  readonly serviceUrl?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What an operator says of it. */
export interface StatedInstance {
  readonly name: string;
  readonly managementUrl?: string;
  readonly healthUrl?: string;
  readonly serviceUrl?: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Where the listeners are, as they know it themselves. */
export interface KnownUrls {
  readonly management: string;
  /** Undefined where there is no main listener. */
  readonly service: string | undefined;
  /** Path of health below the management URL, as `path-mapping` may have it. */
  readonly healthSegment: string;
}

/** What is not stated is as it is known; `startedAt` is in milliseconds since 1970. */
export function instanceOf(stated: StatedInstance, known: KnownUrls, startedAt: number): Instance {
  const managementUrl = stated.managementUrl ?? known.management;
  const serviceUrl = stated.serviceUrl ?? known.service;
  return {
    name: stated.name,
    managementUrl,
    healthUrl: stated.healthUrl ?? `${managementUrl}/${known.healthSegment}`,
    ...(serviceUrl !== undefined && { serviceUrl }),
    metadata: { startup: new Date(startedAt).toISOString(), ...Object.fromEntries(stated.metadata) },
  };
}
