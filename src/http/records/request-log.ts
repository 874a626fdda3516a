import type { Logger } from '../../logging/logger.js';
import { shownPath } from '../../redaction/request-text.js';
import type { Passage } from '../admission/request-tracker.js';
import { sentMethod } from '../methods.js';
import { withContextOf } from '../request-head.js';
import { sentStatus } from '../sent-status.js';

/** One line for each request that is over, where somebody has made its logger loud enough: `GET /me 200 3 ms`. */
export class RequestLog {
  constructor(private readonly log: Logger) {}

  end({ reply, startedAt }: Passage): void {
    if (!this.log.isEnabled('DEBUG')) return;
    const { request } = reply;
    const path = request.routeOptions.url ?? shownPath(request.originalUrl);
    const status = sentStatus(reply);
    const millis = Math.round(performance.now() - startedAt);
    withContextOf(request, () => {
      this.log.debug(`${sentMethod(request.raw)} ${path} ${status} ${millis} ms`);
    });
  }
}
