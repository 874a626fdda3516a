import { Injectable } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { Endpoints } from './endpoints.js';
import { isExposed } from '../access/exposure.js';
import {
  AccessProperties,
  ENDPOINT_KEYS,
  type EndpointKeys,
  ExposureProperties,
  isCacheable,
} from '../access/access.properties.js';
import type { Endpoint } from './operation.js';
import { segmentOf } from './paths.js';
import type { ExposedEndpoint } from './exposed-endpoint.js';
import { ManagementWebProperties } from './management-server.properties.js';
import { effectiveAccess, allows } from '../access/access.js';

/** What can be called of the endpoints: two independent gates, exposure and access, must both be open. */
@Injectable()
export class EndpointRegistry {
  /** In the order of discovery. */
  readonly all: readonly ExposedEndpoint[];

  constructor(
    { all }: Endpoints,
    private readonly configuration: Configuration,
    private readonly web: ManagementWebProperties,
    private readonly access: AccessProperties,
    { include, exclude }: ExposureProperties,
  ) {
    this.all = all
      .filter(({ id }) => isExposed(id, include, exclude))
      .map((endpoint) => this.expose(endpoint))
      .filter(({ operations }) => operations.length > 0);
  }

  private expose({ id, isPublic = false, requiresOtpToRead = false, operations }: Endpoint): ExposedEndpoint {
    const keys = this.keysOf(id);
    const access = effectiveAccess(id, keys?.access, this.access);
    return {
      id,
      segment: segmentOf(id, this.web.pathMapping),
      isPublic,
      requiresOtpToRead,
      operations: operations.filter((operation) => allows(access, operation)),
      timeToLiveMillis: keys && isCacheable(id) ? keys.timeToLive.milliseconds : 0,
    };
  }

  private keysOf(id: string): EndpointKeys | undefined {
    const type = ENDPOINT_KEYS.get(id);
    return type && this.configuration.get(type);
  }
}
