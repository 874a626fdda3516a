import { Mapping } from '../../platform/persistence/mapper/mapping.js';
import { EVENT_COLUMNS } from './event-line.js';

/** The rows of searches and reports. */
export const eventsMapping = new Mapping('events', {
  types: {
    EventRow: EVENT_COLUMNS,
    EventCount: ['kind', 'result', 'events'],
    ReasonCount: ['kind', 'result', 'reason', 'events', 'firstAt', 'lastAt'],
  },
});

/** Rows without times, which `mapper.type-aliases-package` selects. */
export const eventTotalsMapping = new Mapping('events.totals', {
  types: { ReasonCount: ['kind', 'result', 'reason', 'events'] },
});
