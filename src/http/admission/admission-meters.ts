import type { Counter } from '../../metrics/meter.js';
import type { Meters } from '../../metrics/meters.js';
import type { Admission } from './admission.js';

/** Registers the meters of admission (management API, 5.3) and returns the counter of rejected requests. */
export function registerAdmissionMeters(meters: Meters, admission: Admission): Counter {
  meters.gauge(
    'embedded.threads.busy',
    { description: 'Requests that have a slot (server.embedded.threads.max)' },
    () => admission.running,
  );
  meters.gauge('embedded.threads.config.max', { description: 'server.embedded.threads.max' }, () => admission.limit);
  meters.gauge(
    'embedded.queue.size',
    { description: 'Requests that wait for a slot (server.embedded.accept-count)' },
    () => admission.waiting,
  );
  const description = 'Requests refused because all slots and places in the queue were taken';
  return meters.counter('embedded.rejected', { description }).of();
}
