import type { Configuration } from '../../config/configuration.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { StartupWait } from '../../platform/persistence/schema/schema-setup.js';
import type { BoundAddress, Listener } from '../../platform/http/listener.js';
import { ServerProperties } from '../../platform/http/server.properties.js';
import type { Logger } from '../../observability/logging/logger.js';
import {
  ManagementServerProperties,
  ManagementWebProperties,
} from '../../management/dispatch/management-server.properties.js';
import { JSON_V3 } from '../../management/dispatch/negotiation.js';
import { basePathOf, managementPortOf, segmentOf } from '../../management/dispatch/paths.js';
import { HealthEndpointProperties, ProbesProperties } from '../../management/health/health.properties.js';
import { LIVENESS, probePaths } from '../../management/health/health-scope.js';
import type { Listeners } from './listeners.js';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

/**
 * Answers probes while a startup waits, so that an orchestrator neither restarts the process nor sends users to it: liveness is
 * UP, and every other request is rejected with 503.
 */
export class StartupProbes extends StartupWait {
  constructor(
    private readonly configuration: Configuration,
    private readonly listeners: Listeners,
    private readonly log: Logger,
  ) {
    super();
  }

  async during<T>(wait: () => Promise<T>): Promise<T> {
    const opened = this.listeners.forProbes();
    try {
      for (const { listener, binding } of opened) await this.open(listener, binding);
      return await wait();
    } finally {
      await Promise.all(opened.map(({ listener }) => listener.close(0)));
    }
  }

  /** A port that cannot be opened fails startup later, with a report. */
  private async open(listener: Listener, binding: BoundAddress): Promise<void> {
    const headers = { 'content-type': JSON_V3 };
    for (const path of this.livenessPaths()) {
      listener.routes.add('GET', path, () => ({ status: 200, body: '{"status":"UP"}', headers }));
    }
    for (const method of METHODS) {
      listener.routes.add(method, '/*', () => {
        throw new ServiceError('UNAVAILABLE');
      });
    }
    await listener.open(binding).catch((error: unknown) => {
      this.log.warn('Probes get no response while the startup waits', { error });
    });
  }

  private livenessPaths(): readonly string[] {
    const { basePath, pathMapping } = this.configuration.get(ManagementWebProperties);
    const { basePath: listener } = this.configuration.get(ManagementServerProperties);
    const { group } = this.configuration.get(HealthEndpointProperties);
    const own = group.get(LIVENESS)?.additionalPath;
    const additional = [
      ...(own === undefined ? [] : [own]),
      ...probePaths(LIVENESS, this.configuration.get(ProbesProperties)),
    ];
    const { port } = this.configuration.get(ServerProperties);
    const place = managementPortOf(this.configuration.get(ManagementServerProperties).port, port);
    const base = basePathOf(place, { listener, endpoints: basePath });
    // Each listener may respond to all of these paths, since every other path is rejected.
    const paths = additional.map((path) => path.slice(path.indexOf(':') + 1));
    return [...new Set([`${base}/${segmentOf('health', pathMapping)}/${LIVENESS}`, ...paths])];
  }
}
