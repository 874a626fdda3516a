import type { Routes } from '../../http/listener.js';

/** A route that is no controller's. */
export interface MountedRoute {
  readonly method: string;
  /** As the listener has it, e.g. `/actuator/loggers/:name`. */
  readonly path: string;
}

/** The routes of the management endpoints, wherever their listener is. */
export class MountedRoutes {
  private readonly routes: MountedRoute[] = [];

  get all(): readonly MountedRoute[] {
    return this.routes;
  }

  /** Routes that are added to what is answered are added to `routes`, and known here. */
  recording(routes: Routes): Routes {
    return {
      add: (method, path, answer, facts) => {
        this.routes.push({ method, path });
        routes.add(method, path, answer, facts);
      },
    };
  }
}
