/** Where the management endpoints are: on the main listener, on one of their own, or nowhere. */
export type Place = 'main' | 'own' | 'off';

/** By `management.server.port` and `server.port` (management API, "Base path and separate port"). */
export function placeOf(port: number | undefined, mainPort: number): Place {
  if (port === undefined) return 'main';
  if (port < 0) return 'off';
  return port === mainPort && port !== 0 ? 'main' : 'own';
}
