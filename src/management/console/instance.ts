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

/** Describes this process by its settings and its listeners; `startedAt` is in milliseconds since 1970. */
export function describeInstance(
  settings: InstanceSettings,
  listeners: ListenerUrls,
  startedAt: number,
): ConsoleInstance {
  const managementUrl = settings.managementUrl ?? listeners.management;
  const serviceUrl = settings.serviceUrl ?? listeners.service;
  return {
    name: settings.name,
    managementUrl,
    healthUrl: settings.healthUrl ?? `${managementUrl}/${listeners.healthSegment}`,
    ...(serviceUrl !== undefined && { serviceUrl }),
    metadata: { startup: new Date(startedAt).toISOString(), ...Object.fromEntries(settings.metadata) },
  };
}
