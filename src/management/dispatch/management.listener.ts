import { Injectable } from '@nestjs/common';
import type { ListenerResponse, PlainRequest, Routes } from '../../http/listener.js';
import { ServerProperties } from '../../http/server.properties.js';
import { EndpointRegistry } from './endpoint-registry.service.js';
import { ManagementServerProperties, ManagementWebProperties } from './management-server.properties.js';
import { JSON_TYPES } from './media-types.js';
import type { Operation } from './operation.js';
import { basePathOf, hasDiscoveryPage } from './paths.js';
import { managementPortOf } from './management-port.js';
import { EndpointDispatcher } from './endpoint-dispatcher.service.js';

type Handler = (request: PlainRequest) => Promise<ListenerResponse>;

/** Puts the endpoints that can be called under the base path of whichever listener carries them. */
@Injectable()
export class ManagementListener {
  /** Below the root or context path; empty or starting with `/`, without one at the end. */
  readonly basePath: string;
  private readonly hasDiscovery: boolean;

  constructor(
    web: ManagementWebProperties,
    server: ManagementServerProperties,
    { port: mainPort }: ServerProperties,
    private readonly offers: EndpointRegistry,
    private readonly responder: EndpointDispatcher,
  ) {
    const place = managementPortOf(server.port, mainPort);
    this.basePath = basePathOf(place, { listener: server.basePath, endpoints: web.basePath });
    this.hasDiscovery = hasDiscoveryPage(place, this.basePath, web.discovery);
  }

  /** That each has a path of its own was seen before (paths.rule.ts). */
  mount(routes: Routes): void {
    for (const offer of this.offers.all) {
      for (const operation of offer.operations) {
        const path = `${this.basePath}/${offer.segment}${parameterOf(operation)}`;
        add(routes, operation.method, path, this.responder.handlerFor(offer, operation));
      }
    }
    if (this.hasDiscovery) add(routes, 'GET', this.basePath, this.responder.discoveryHandler(this.offers.all));
  }
}

/** With and without a slash at the end; one that takes all that is left takes that too. */
function add(routes: Routes, method: Operation['method'], path: string, respond: Handler): void {
  const paths = path.endsWith('*') ? [path] : [path, `${path}/`];
  for (const each of paths) if (each !== '') routes.add(method, each, respond, { jsonTypes: JSON_TYPES });
}

function parameterOf({ pathTemplate }: Operation): string {
  if (pathTemplate === '') return '';
  return pathTemplate.startsWith('{*') ? '/*' : `/:${pathTemplate.slice(1, -1)}`;
}
