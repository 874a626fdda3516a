import type { HealthIndicator } from '../../health/indicator.js';
import { UP } from './status.js';

/** UP as soon as anybody answers. */
export const PING: HealthIndicator = { name: 'ping', check: () => ({ status: UP }) };
