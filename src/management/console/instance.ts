/** The description of this process for the console (management API, "Clients and what they need"). */
export interface ConsoleInstance {
  readonly name: string;
  readonly managementUrl: string;
  readonly healthUrl: string;
  readonly serviceUrl?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Configured values of an instance, which override those of the listeners. */
export interface InstanceSettings {
  readonly name: string;
  readonly managementUrl?: string;
  readonly healthUrl?: string;
  readonly serviceUrl?: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** URLs of the open listeners. */
export interface ListenerUrls {
  readonly management: string;
  /** Undefined without a main listener. */
  readonly service: string | undefined;
  /** Path of health below the management URL, after `path-mapping`. */
  readonly healthSegment: string;
}

/** Combines configured and known values; `startedAt` is in milliseconds since 1970. */
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
