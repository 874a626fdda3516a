import { Injectable } from '@nestjs/common';
import type { Routes } from '../../http/listener.js';
import { EndpointRegistry } from '../dispatch/endpoint-registry.service.js';
import { JSON_TYPES } from '../dispatch/media-types.js';
import type { Operation } from '../dispatch/operation.js';
import { EndpointDispatcher } from '../dispatch/endpoint-dispatcher.service.js';
import { HealthEvaluator } from './health-evaluator.service.js';
import { HealthGroups } from './health-groups.service.js';

/** The paths of health groups outside the management base, such as `/livez`; there, nobody says who they are. */
@Injectable()
export class HealthPaths {
  constructor(
    private readonly offers: EndpointRegistry,
    private readonly responder: EndpointDispatcher,
    private readonly groups: HealthGroups,
    private readonly answers: HealthEvaluator,
  ) {}

  /** Both are the same where the management endpoints have no listener of their own. */
  mount(main: Routes, management: Routes): void {
    const offer = this.offers.all.find(({ id }) => id === 'health');
    if (!offer) return;
    for (const group of this.groups.all) {
      const operation: Operation = {
        method: 'GET',
        pathTemplate: '',
        isAnonymous: true,
        run: (request) => this.answers.group(group, request),
      };
      // Each path shows a group of its own, which no time to live of the endpoint is meant for.
      const respond = this.responder.handlerFor({ ...offer, timeToLiveMillis: 0 }, operation);
      const mounted = new Map<Routes, Set<string>>();
      for (const additionalPath of group.additionalPaths) {
        const [listener, path = ''] = additionalPath.split(':');
        const routes = listener === 'server' ? main : management;
        const known = mounted.get(routes) ?? new Set();
        // `server:/readyz` and `management:/readyz`, of one listener.
        if (known.has(path)) continue;
        mounted.set(routes, known.add(path));
        for (const each of [path, `${path}/`]) routes.add('GET', each, respond, { jsonTypes: JSON_TYPES });
      }
    }
  }
}
