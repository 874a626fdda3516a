import type { Availability } from '../../health/availability.js';
import type { HealthIndicator } from '../../health/indicator.js';
import { DOWN, OUT_OF_SERVICE, UP } from './status.js';

/** What the process says of itself (management API, "Probes"). */
export function stateIndicators(availability: Availability): readonly HealthIndicator[] {
  return [
    { name: 'livenessState', check: () => ({ status: availability.isLive ? UP : DOWN }) },
    { name: 'readinessState', check: () => ({ status: availability.isReady ? UP : OUT_OF_SERVICE }) },
  ];
}
