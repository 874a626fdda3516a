import { Injectable } from '@nestjs/common';
import type { Routes } from '../../platform/http/listener.js';
import { EndpointRegistry } from '../dispatch/endpoint-registry.service.js';
import { JSON_TYPES } from '../dispatch/negotiation.js';
import type { Operation } from '../dispatch/operation.js';
import { EndpointDispatcher } from '../dispatch/endpoint-dispatcher.service.js';
import { HealthEvaluator } from './health-evaluator.service.js';
import { HealthGroups } from './health-groups.service.js';

/** Mounts the additional paths of health groups, such as `/livez`; they need no credentials. */
@Injectable()
export class HealthPaths {
  constructor(
    private readonly registry: EndpointRegistry,
    private readonly dispatcher: EndpointDispatcher,
    private readonly groups: HealthGroups,
    private readonly evaluator: HealthEvaluator,
  ) {}

  /** `main` and `management` are the same if the management endpoints have no port of their own. */
  mount(main: Routes, management: Routes): void {
    const endpoint = this.registry.find('health');
    if (!endpoint) return;
    for (const group of this.groups.all) {
      const operation: Operation = {
        method: 'GET',
        pathTemplate: '',
        isAnonymous: true,
        run: (request) => this.evaluator.group(group, request),
      };
      // Each path has a group of its own, so the cache of the endpoint does not apply.
      const handler = this.dispatcher.handlerFor({ ...endpoint, timeToLiveMillis: 0 }, operation);
      const mounted = new Map<Routes, Set<string>>();
      for (const additionalPath of group.additionalPaths) {
        const [listener, path = ''] = additionalPath.split(':');
        const routes = listener === 'server' ? main : management;
        const known = mounted.get(routes) ?? new Set();
        // `server:/readyz` and `management:/readyz` are the same path on a single listener.
        if (known.has(path)) continue;
        mounted.set(routes, known.add(path));
        for (const each of [path, `${path}/`]) routes.add('GET', each, handler, { jsonTypes: JSON_TYPES });
      }
    }
  }
}
