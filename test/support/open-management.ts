import { HttpClient } from './http-client.js';
import { type RunningService, type ServiceOptions, startService } from './service.js';

/** Lets tests call management endpoints without credentials, which takes a port of their own. */
export const WITHOUT_CREDENTIALS: readonly string[] = [
  '--management.server.port=0',
  '--management.security.enabled=false',
];

const MANAGEMENT_ARGS: readonly string[] = [...WITHOUT_CREDENTIALS, '--management.endpoints.web.exposure.include=*'];

export interface Managed {
  readonly service: RunningService;
  /** Its paths begin behind the base path of the endpoints. */
  readonly management: HttpClient;
}

/** A service whose management endpoints can all be called. */
export async function startOpenManagement(options: ServiceOptions = {}): Promise<Managed> {
  return managed(await startService({ ...options, args: [...MANAGEMENT_ARGS, ...(options.args ?? [])] }));
}

/** What calls the management endpoints of a service, on whichever port they are. */
export function managed(service: RunningService): Managed {
  return { service, management: new HttpClient(service.managementUrl ?? `${service.url}/actuator`) };
}
