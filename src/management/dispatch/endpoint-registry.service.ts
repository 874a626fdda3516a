import { Injectable } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { Endpoints } from './endpoints.js';
import { isExposed } from '../access/exposure.js';
import { ExposureProperties } from '../access/exposure.properties.js';
import type { Endpoint } from './operation.js';
import { segmentOf } from './paths.js';
import type { Offer } from './exposed-endpoint.js';
import { ManagementWebProperties } from './management-web.properties.js';
import { accessOf, allows } from '../access/access.js';
import { AccessProperties } from '../access/access.properties.js';
import { ENDPOINT_KEYS, type EndpointKeys, isCacheable } from '../access/endpoint.properties.js';

/** What can be called of the endpoints: two independent gates, exposure and access, must both be open. */
@Injectable()
export class Offers {
  /** In the order of discovery. */
  readonly all: readonly Offer[];

  constructor(
    { all }: Endpoints,
    private readonly configuration: Configuration,
    private readonly web: ManagementWebProperties,
    private readonly access: AccessProperties,
    { include, exclude }: ExposureProperties,
  ) {
    this.all = all
      .filter(({ id }) => isExposed(id, include, exclude))
      .map((endpoint) => this.offerOf(endpoint))
      .filter(({ operations }) => operations.length > 0);
  }

  private offerOf({ id, isOpen = false, readsNeedOtp = false, operations }: Endpoint): Offer {
    const keys = this.keysOf(id);
    const access = accessOf(id, keys?.access, this.access);
    return {
      id,
      segment: segmentOf(id, this.web.pathMapping),
      isOpen,
      readsNeedOtp,
      operations: operations.filter((operation) => allows(access, operation)),
      timeToLiveMillis: keys && isCacheable(id) ? keys.timeToLive.milliseconds : 0,
    };
  }

  private keysOf(id: string): EndpointKeys | undefined {
    const type = ENDPOINT_KEYS.get(id);
    return type && this.configuration.get(type);
  }
}
