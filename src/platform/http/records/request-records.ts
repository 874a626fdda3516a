import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Meters } from '../../../observability/metrics/meters.js';
import { sanitizePath } from '../../../kernel/redaction/request-path.js';
import type { RequestLifecycle } from '../admission/request-tracker.js';
import type { HostOptions } from '../host-options.js';
import { sentMethod } from '../methods.js';
import { withContextOf } from '../request-head.js';
import { sentStatus } from '../sent-status.js';
import { AccessLogRecorder, type UnreadRequest } from './access-log-recorder.js';
import { ExchangeRecorder } from './exchange-recorder.js';
import { RequestMeters } from './request-meters.js';
import { beginSpan, endSpan } from './request-spans.js';

/** Records the requests of a listener in the access log, the exchanges, the meters and the log. */
export class RequestRecords {
  private readonly accessLog: AccessLogRecorder | undefined;
  private readonly exchanges: ExchangeRecorder | undefined;
  private readonly meters: RequestMeters;

  constructor(
    { accessLog, exchanges, meters = new Meters() }: Pick<HostOptions, 'accessLog' | 'exchanges' | 'meters'>,
    clock: Clock,
    private readonly log: Logger,
  ) {
    this.accessLog = accessLog && new AccessLogRecorder(accessLog, clock);
    this.exchanges = exchanges && new ExchangeRecorder(exchanges, clock);
    this.meters = new RequestMeters(meters);
  }

  learnRoutes(fastify: FastifyInstance): void {
    this.exchanges?.learnRoutes(fastify);
  }

  begin(lifecycle: RequestLifecycle): void {
    const { reply } = lifecycle;
    this.meters.begin(lifecycle);
    beginSpan(lifecycle);
    this.accessLog?.begin(reply.request, reply);
    this.exchanges?.begin(reply.request, reply);
  }

  /** Records a request whose response is sent or whose client has disconnected. */
  end(lifecycle: RequestLifecycle): void {
    const { reply } = lifecycle;
    this.accessLog?.end(reply);
    this.exchanges?.end(reply);
    this.meters.end(lifecycle);
    this.logAtDebug(lifecycle);
    endSpan(lifecycle);
  }

  /** Records bytes that were not a valid request; `current` is the request whose body they are. */
  rejected(
    socket: Socket,
    unread: UnreadRequest & { readonly code: ErrorCode },
    current: RequestLifecycle | undefined,
  ): void {
    this.accessLog?.rejected(socket, unread, current?.reply);
    if (current) {
      this.meters.end(current);
      endSpan(current);
    } else this.meters.rejected(unread.request?.method, unread);
  }

  /** One line per request: `GET /me 200 3 ms`. */
  private logAtDebug({ reply, startedAt }: RequestLifecycle): void {
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
