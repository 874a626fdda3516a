import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Endpoint, Operation, Result } from './dispatch/operation.js';
import { controllerMapping, managementMappings } from './mapping-view.js';
import { MountedRoutes } from './dispatch/mounted-routes.js';

/** `GET {management_base}/mappings`: every route of the service, and what answers it. */
@Injectable()
export class MappingsEndpoint implements Endpoint {
  readonly id = 'mappings';

  readonly operations: readonly Operation[] = [{ method: 'GET', pathTemplate: '', run: () => this.read() }];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly mounted: MountedRoutes,
  ) {}

  private async read(): Promise<Result> {
    const { routesOf } = await import('../web/openapi/routes.js');
    const dispatcherServlets = {
      main: routesOf(this.discovery, this.scanner).map(controllerMapping),
      management: managementMappings(this.mounted.all),
    };
    const mappings = { dispatcherServlets, servletFilters: [], servlets: [] };
    return { body: { contexts: { 'login-service': { mappings } } } };
  }
}
