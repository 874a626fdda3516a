/** What the console is told of this process (management API, "Clients and what they need"). */
export interface ConsoleInstance {
  readonly name: string;
  readonly managementUrl: string;
  readonly healthUrl: string;
  readonly serviceUrl?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What an operator says of it. */
export interface InstanceSettings {
  readonly name: string;
  readonly managementUrl?: string;
  readonly healthUrl?: string;
  readonly serviceUrl?: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Where the listeners are, as they know it themselves. */
export interface ListenerUrls {
  readonly management: string;
  /** Undefined where there is no main listener. */
  readonly service: string | undefined;
  /** Path of health below the management URL, as `path-mapping` may have it. */
  readonly healthSegment: string;
}

/** What is not stated is as it is known; `startedAt` is in milliseconds since 1970. */
export function describeInstance(stated: InstanceSettings, known: ListenerUrls, startedAt: number): ConsoleInstance {
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
