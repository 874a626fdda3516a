import type { Counter } from '../../metrics/meter.js';
import type { Meters } from '../../metrics/meters.js';
import type { Admission } from './admission.js';

/** Requests in progress and in the queue of the main listener (management API, 5.3); answers what counts refusals. */
export function watchAdmission(meters: Meters, admission: Admission): Counter {
  meters.gauge(
    'embedded.threads.busy',
    { description: 'Requests that have a slot (server.embedded.threads.max)' },
    () => admission.running,
  );
  meters.gauge('embedded.threads.config.max', { description: 'server.embedded.threads.max' }, () => admission.most);
  meters.gauge(
    'embedded.queue.size',
    { description: 'Requests that wait for a slot (server.embedded.accept-count)' },
    () => admission.waiting,
  );
  const description = 'Requests refused because all slots and places in the queue were taken';
  return meters.counter('embedded.rejected', { description }).of();
}
