import { Injectable } from '@nestjs/common';
import { Availability } from '../../health/availability.js';
import type { Endpoint, Operation, Result } from '../operation.js';
import { NOT_THERE } from '../operation.js';
import { ProbesProperties } from './probes.properties.js';

const UP: Result = { body: { status: 'UP' } };
const DOWN: Result = { status: 503, body: { status: 'DOWN' } };
const OUT_OF_SERVICE: Result = { status: 503, body: { status: 'OUT_OF_SERVICE' } };

/** `GET {management_base}/health` for a caller who may see the status only (management API, "health"). */
@Injectable()
export class HealthEndpoint implements Endpoint {
  readonly id = 'health';
  readonly isOpen = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', below: '', run: () => this.overall() },
    { method: 'GET', below: '{*path}', run: ({ selector }) => this.one(selector) },
  ];

  constructor(
    private readonly availability: Availability,
    private readonly probes: ProbesProperties,
  ) {}

  private overall(): Result {
    return this.availability.isLive ? this.readiness() : DOWN;
  }

  private one(path: string): Result {
    if (!this.probes.enabled) return NOT_THERE;
    if (path === 'liveness') return this.availability.isLive ? UP : DOWN;
    return path === 'readiness' ? this.readiness() : NOT_THERE;
  }

  private readiness(): Result {
    return this.availability.isReady ? UP : OUT_OF_SERVICE;
  }
}
