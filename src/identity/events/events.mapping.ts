import { Mapping } from '../../platform/persistence/mapper/mapping.js';
import { EVENT_COLUMNS } from './event-line.js';

/** The rows of searches and reports. */
export const eventsMapping = new Mapping('events', {
  types: { EventRow: EVENT_COLUMNS, EventCount: ['kind', 'result', 'events'] },
});
