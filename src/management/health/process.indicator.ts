import { Injectable } from '@nestjs/common';
import { Availability } from '../../health/availability.js';
import { HealthComponents } from '../../health/health-components.js';
import { PING_COMPONENT, ProbesProperties } from './health.properties.js';
import { DOWN, OUT_OF_SERVICE, UP } from './status.js';

/** The health of the process itself: `ping`, and the states behind the probes (management API, "Probes"). */
@Injectable()
export class ProcessIndicators {
  constructor(components: HealthComponents, availability: Availability, probes: ProbesProperties) {
    components.add({ name: PING_COMPONENT, check: () => ({ status: UP }) });
    if (!probes.enabled) return;
    components.add(
      { name: 'livenessState', check: () => ({ status: availability.isLive ? UP : DOWN }) },
      { name: 'readinessState', check: () => ({ status: availability.isReady ? UP : OUT_OF_SERVICE }) },
    );
  }
}
