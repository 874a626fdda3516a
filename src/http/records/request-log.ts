import type { Logger } from '../../logging/logger.js';
import { sanitizePath } from '../../redaction/request-path.js';
import type { RequestLifecycle } from '../admission/request-tracker.js';
import { sentMethod } from '../methods.js';
import { withContextOf } from '../request-head.js';
import { sentStatus } from '../sent-status.js';

/** Logs one line per request at level DEBUG: `GET /me 200 3 ms`. */
export class RequestLog {
  constructor(private readonly log: Logger) {}

  end({ reply, startedAt }: RequestLifecycle): void {
    if (!this.log.isEnabled('DEBUG')) return;
    const { request } = reply;
    const path = request.routeOptions.url ?? sanitizePath(request.originalUrl);
    const status = sentStatus(reply);
    const millis = Math.round(performance.now() - startedAt);
    withContextOf(request, () => {
      this.log.debug(`${sentMethod(request.raw)} ${path} ${status} ${millis} ms`);
    });
  }
}
