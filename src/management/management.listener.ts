import { Injectable } from '@nestjs/common';
import type { Routes } from '../server/listener.js';
import { isExposed } from './exposure.js';
import { ExposureProperties } from './exposure.properties.js';
import { HealthEndpoint } from './health.endpoint.js';
import { ManagementWebProperties } from './web.properties.js';

/** Puts the exposed endpoints under the base path of whichever listener carries them. */
@Injectable()
export class ManagementListener {
  private readonly endpoints = [new HealthEndpoint()];

  constructor(
    private readonly web: ManagementWebProperties,
    private readonly exposure: ExposureProperties,
  ) {}

  /**
   * Below the root; empty or starting with `/`, without one at the end (management API, "Base path and separate port").
   */
  get basePath(): string {
    return this.web.basePath.replace(/\/$/, '');
  }

  mount(routes: Routes): void {
    const { include, exclude } = this.exposure;
    for (const endpoint of this.endpoints) {
      if (!isExposed(endpoint.id, include, exclude)) continue;
      const path = `${this.basePath}/${endpoint.id}`;
      routes.get(path, () => endpoint.read());
      routes.get(`${path}/`, () => endpoint.read());
    }
  }
}
