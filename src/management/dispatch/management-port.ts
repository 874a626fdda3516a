/** Where the management endpoints are: on the main listener, on one of their own, or nowhere. */
export type ManagementPort = 'main' | 'own' | 'off';

/** By `management.server.port` and `server.port` (management API, "Base path and separate port"). */
export function managementPortOf(port: number | undefined, mainPort: number): ManagementPort {
  if (port === undefined) return 'main';
  if (port < 0) return 'off';
  return port === mainPort && port !== 0 ? 'main' : 'own';
}
