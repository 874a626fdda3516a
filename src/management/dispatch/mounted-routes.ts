import type { Routes } from '../../platform/http/listener.js';

/** A route without a controller. */
export interface MountedRoute {
  readonly method: string;
  /** The path in the notation of the listener, e.g. `/actuator/loggers/:name`. */
  readonly path: string;
}

/** Records the routes of the management endpoints for the endpoint `mappings`. */
export class MountedRoutes {
  private readonly routes: MountedRoute[] = [];

  get all(): readonly MountedRoute[] {
    return this.routes;
  }

  /** Returns a view of `routes` that records each added route. */
  recording(routes: Routes): Routes {
    return {
      add: (method, path, handler, options) => {
        this.routes.push({ method, path });
        routes.add(method, path, handler, options);
      },
    };
  }
}
