import { Injectable } from '@nestjs/common';
import type { ListenerResponse, PlainRequest, Routes } from '../../platform/http/listener.js';
import { ServerProperties } from '../../platform/http/server.properties.js';
import { EndpointDispatcher } from './endpoint-dispatcher.service.js';
import { EndpointRegistry } from './endpoint-registry.service.js';
import { ManagementServerProperties, ManagementWebProperties } from './management-server.properties.js';
import { JSON_TYPES } from './negotiation.js';
import type { Operation } from './operation.js';
import { basePathOf, hasDiscoveryPage, managementPortOf } from './paths.js';

type Handler = (request: PlainRequest) => Promise<ListenerResponse>;

/** Mounts the exposed endpoints below the base path of the listener that serves them. */
@Injectable()
export class ManagementListener {
  /** The base path below the root or context path: empty, or with a leading slash and without a trailing one. */
  readonly basePath: string;
  private readonly hasDiscovery: boolean;

  constructor(
    web: ManagementWebProperties,
    server: ManagementServerProperties,
    { port: mainPort }: ServerProperties,
    private readonly registry: EndpointRegistry,
    private readonly dispatcher: EndpointDispatcher,
  ) {
    const port = managementPortOf(server.port, mainPort);
    this.basePath = basePathOf(port, { listener: server.basePath, endpoints: web.basePath });
    this.hasDiscovery = hasDiscoveryPage(port, this.basePath, web.discovery);
  }

  /** The configuration rule in paths.rule.ts has verified that no two routes share a path. */
  mount(routes: Routes): void {
    for (const endpoint of this.registry.all) {
      for (const operation of endpoint.operations) {
        const path = `${this.basePath}/${endpoint.segment}${parameterOf(operation)}`;
        add(routes, operation.method, path, this.dispatcher.handlerFor(endpoint, operation));
      }
    }
    if (this.hasDiscovery) add(routes, 'GET', this.basePath, this.dispatcher.discoveryHandler(this.registry.all));
  }
}

/** Adds the path with and without a trailing slash; a wildcard covers both. */
function add(routes: Routes, method: Operation['method'], path: string, handler: Handler): void {
  const paths = path.endsWith('*') ? [path] : [path, `${path}/`];
  for (const each of paths) if (each !== '') routes.add(method, each, handler, { jsonTypes: JSON_TYPES });
}

function parameterOf({ pathTemplate }: Operation): string {
  if (pathTemplate === '') return '';
  return pathTemplate.startsWith('{*') ? '/*' : `/:${pathTemplate.slice(1, -1)}`;
}
