import { Injectable } from '@nestjs/common';
import { ConfigurationFailure, problem } from '../config/problem.js';
import type { Answer, PlainRequest, Routes } from '../server/listener.js';
import { ServerProperties } from '../server/server.properties.js';
import { Offers } from './access/offers.service.js';
import { ManagementServerProperties } from './management-server.properties.js';
import { JSON_TYPES } from './media-types.js';
import type { Operation } from './operation.js';
import { placeOf } from './place.js';
import { Responder } from './web/responder.service.js';
import { ManagementWebProperties } from './web.properties.js';

type Respond = (request: PlainRequest) => Promise<Answer>;

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
    private readonly offers: Offers,
    private readonly responder: Responder,
  ) {
    const isApart = placeOf(server.port, mainPort) === 'own';
    this.basePath = (isApart ? withoutSlash(server.basePath) : '') + withoutSlash(web.basePath);
    // On the main listener, the root belongs to users.
    this.hasDiscovery = web.discovery && (isApart || this.basePath !== '');
  }

  /** @throws ConfigurationFailure where two endpoints have one path */
  mount(routes: Routes): void {
    const owners = new Map<string, string>();
    for (const offer of this.offers.all) {
      for (const operation of offer.operations) {
        const path = `${this.basePath}/${offer.segment}${parameterOf(operation)}`;
        claim(owners, operation.method, path, offer.id);
        add(routes, operation.method, path, this.responder.of(offer, operation));
      }
    }
    if (this.hasDiscovery) add(routes, 'GET', this.basePath, this.responder.ofDiscovery(this.offers.all));
  }
}

/** With and without a slash at the end; one that takes all that is left takes that too. */
function add(routes: Routes, method: Operation['method'], path: string, respond: Respond): void {
  const paths = path.endsWith('*') ? [path] : [path, `${path}/`];
  for (const each of paths) if (each !== '') routes.add(method, each, respond, { jsonTypes: JSON_TYPES });
}

function parameterOf({ below }: Operation): string {
  if (below === '') return '';
  return below.startsWith('{*') ? '/*' : `/:${below.slice(1, -1)}`;
}

/** The router would say this in words of its own. */
function claim(owners: Map<string, string>, method: string, path: string, id: string): void {
  const place = `${method} ${path.replace(/:\w+/, ':')}`;
  const other = owners.get(place);
  if (other !== undefined) {
    throw new ConfigurationFailure([
      problem(
        `The management endpoints ${other} and ${id} have the same path`,
        `Give one of them another path: management.endpoints.web.path-mapping.${id}.`,
        { Path: path },
      ),
    ]);
  }
  owners.set(place, id);
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
