import * as v from 'valibot';
import { KINDS } from '../../../identity/events/security-event.js';
import { listOf } from '../../../platform/web/schema.js';
import { amr } from './responses.schema.js';

const id = v.string();
const device = v.pipe(v.nullable(v.string()), v.description('`User-Agent` of the browser or app.'));
const ip = v.pipe(v.nullable(v.string()), v.description('Address of the client.'));
/** Present if the list was longer than the limit; absent at its end. */
const next = v.optional(v.pipe(v.string(), v.description('`after` of the next request, if more may follow.')));

/** `GET /sessions`. */
export const sessionsResponse = v.object({
  items: listOf(
    v.object({
      id: v.pipe(v.string(), v.description('The `sid` of its access tokens.')),
      client: v.optional(
        v.pipe(v.string(), v.description('The application that has opened it with a session of a browser.')),
      ),
      device,
      ip,
      created: v.date(),
      last_used: v.date(),
      current: v.pipe(v.boolean(), v.description('True for the session of this request.')),
    }),
  ),
  next,
});

/** `GET /me/events`. */
export const eventsResponse = v.object({
  items: listOf(
    v.object({
      id,
      time: v.date(),
      kind: v.pipe(v.string(), v.metadata({ enum: KINDS })),
      result: v.pipe(v.string(), v.metadata({ enum: ['ok', 'refused'] })),
      ip,
      device,
      amr: v.nullable(amr),
      idp: v.nullable(v.string()),
    }),
  ),
  next,
});

/** `GET /me/devices`. */
export const devicesResponse = v.object({
  items: listOf(
    v.object({
      id,
      device,
      ip,
      created: v.date(),
      last_used: v.date(),
      expires: v.date(),
    }),
  ),
  next,
});
