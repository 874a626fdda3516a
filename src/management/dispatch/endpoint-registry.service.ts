import type { Configuration } from '../../config/configuration.js';
import { allows, effectiveAccess, isExposed } from '../access/access.js';
import { keysOfEndpoint } from '../access/access.properties.js';
import { AccessProperties, ExposureProperties, isCacheable } from '../access/access.properties.js';
import { ManagementWebProperties } from './management-server.properties.js';
import type { Endpoint, ExposedEndpoint } from './operation.js';
import { segmentOf } from './paths.js';

/** The endpoints that can be called: both exposure and access must permit it. */
export class EndpointRegistry {
  private exposed: readonly ExposedEndpoint[] | undefined;

  /** `discover` is called once, after all endpoints are instantiated. */
  constructor(
    private readonly discover: () => readonly Endpoint[],
    private readonly configuration: Configuration,
  ) {}

  /** All endpoints in the order of the discovery page. */
  get all(): readonly ExposedEndpoint[] {
    this.exposed ??= this.exposeAll();
    return this.exposed;
  }

  find(id: string): ExposedEndpoint | undefined {
    return this.all.find((endpoint) => endpoint.id === id);
  }

  private exposeAll(): readonly ExposedEndpoint[] {
    const { include, exclude } = this.configuration.get(ExposureProperties);
    return this.discover()
      .filter(({ id }) => isExposed(id, include, exclude))
      .map((endpoint) => this.expose(endpoint))
      .filter(({ operations }) => operations.length > 0);
  }

  private expose({ id, isPublic = false, requiresMfaToRead = false, operations }: Endpoint): ExposedEndpoint {
    const keys = this.configuration.get(keysOfEndpoint(id));
    const access = effectiveAccess(id, keys.access, this.configuration.get(AccessProperties));
    return {
      id,
      segment: segmentOf(id, this.configuration.get(ManagementWebProperties).pathMapping),
      isPublic,
      requiresMfaToRead,
      operations: operations.filter((operation) => allows(access, operation)),
      timeToLiveMillis: isCacheable(id) ? keys.timeToLive.milliseconds : 0,
    };
  }
}
