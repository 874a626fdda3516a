import { Injectable } from '@nestjs/common';
import { Availability } from '../health/availability.js';
import type { Answer, Routes } from '../server/listener.js';
import { isExposed } from './exposure.js';
import { ExposureProperties } from './exposure.properties.js';
import { HealthEndpoint } from './health.endpoint.js';
import { ProbesProperties } from './probes.properties.js';
import { ManagementWebProperties } from './web.properties.js';

/** Puts the exposed endpoints under the base path of whichever listener carries them. */
@Injectable()
export class ManagementListener {
  private readonly health: HealthEndpoint;

  constructor(
    private readonly web: ManagementWebProperties,
    private readonly exposure: ExposureProperties,
    private readonly probes: ProbesProperties,
    availability: Availability,
  ) {
    this.health = new HealthEndpoint(availability);
  }

  /**
   * Below the root; empty or starting with `/`, without one at the end (management API, "Base path and separate port").
   */
  get basePath(): string {
    return this.web.basePath.replace(/\/$/, '');
  }

  mount(routes: Routes): void {
    const { include, exclude } = this.exposure;
    if (!isExposed(this.health.id, include, exclude)) return;
    const path = `${this.basePath}/${this.health.id}`;
    mountBoth(routes, path, () => this.health.read());
    if (!this.probes.enabled) return;
    mountBoth(routes, `${path}/liveness`, () => this.health.liveness());
    mountBoth(routes, `${path}/readiness`, () => this.health.readiness());
  }
}

/** With and without a slash at the end. */
function mountBoth(routes: Routes, path: string, read: () => Answer): void {
  routes.get(path, read);
  routes.get(`${path}/`, read);
}
