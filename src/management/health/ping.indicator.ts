import type { HealthIndicator } from '../../health/indicator.js';
import { PING_COMPONENT } from './health.properties.js';
import { UP } from './status.js';

/** UP as soon as anybody answers. */
export const PING: HealthIndicator = { name: PING_COMPONENT, check: () => ({ status: UP }) };
