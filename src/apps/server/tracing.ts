import type { Configuration } from '../../config/configuration.js';
import { inThread } from '../../observability/logging/log-context.js';
import type { Logger } from '../../observability/logging/logger.js';
import {
  OpenTelemetryProperties,
  OpenTelemetryTracingProperties,
  OtlpTracingProperties,
  TraceExportProperties,
  TraceSamplingProperties,
  TracingProperties,
} from '../../management/tracing.properties.js';
import type { Meters } from '../../observability/metrics/meters.js';
import { OtlpClient } from '../../platform/outbound/otlp.client.js';
import { OutboundHttp } from '../../platform/outbound/outbound-http.service.js';
import { SystemRandom } from '../../kernel/random/random.js';
import type { DropReason, ExportListener } from '../../observability/tracing/span-export.js';
import { activeTracer, useTracer } from '../../observability/tracing/tracer.js';
import type { Logging } from './logging.js';

const THREAD = 'tracing';
const DEFAULT_NAME = 'login-service';
const DROP_REASONS = ['queue_full', 'not_delivered', 'rejected'] as const satisfies readonly DropReason[];

/** Turns tracing on if it is configured; otherwise the code of OpenTelemetry is not loaded. */
export async function openTracing(
  configuration: Configuration,
  { loggers, meters }: Pick<Logging, 'loggers' | 'meters'>,
): Promise<void> {
  const { endpoint, headers, timeout } = configuration.get(OtlpTracingProperties);
  if (endpoint === undefined || !configuration.get(TracingProperties).enabled) return;
  const { openTracer } = await import('../../observability/tracing/open-telemetry.js');
  const { scheduleDelay, maxQueueSize } = configuration.get(TraceExportProperties);
  const settings = {
    sampler: configuration.get(OpenTelemetryTracingProperties).sampler,
    probability: configuration.get(TraceSamplingProperties).probability,
    receiver: new OtlpClient(OutboundHttp.of(configuration, meters, loggers), {
      endpoint,
      headers: Object.fromEntries(headers),
      timeoutMillis: timeout.milliseconds,
    }),
    limits: { maxQueueSize, scheduleDelayMillis: scheduleDelay.milliseconds },
    resource: {
      'service.name': DEFAULT_NAME,
      ...Object.fromEntries(configuration.get(OpenTelemetryProperties).resourceAttributes),
    },
  };
  useTracer(openTracer(settings, new SystemRandom(), exportListener(loggers.get('tracing'), meters)));
}

/** Exports the remaining spans and turns tracing off. */
export async function closeTracing(): Promise<void> {
  const tracer = activeTracer();
  useTracer(undefined);
  await tracer?.close();
}

function exportListener(log: Logger, meters: Meters): ExportListener {
  const exported = meters.counter('tracing.spans.exported', { description: 'Spans that the collector accepted' }).of();
  const all = meters.counter('tracing.spans.dropped', { description: 'Spans that were lost' });
  const dropped = new Map(DROP_REASONS.map((reason) => [reason, all.of({ reason })]));
  let lost = 0;
  return {
    exported: (spans) => {
      exported.increment(spans);
    },
    dropped: (spans, reason) => {
      lost += spans;
      dropped.get(reason)?.increment(spans);
    },
    failing: (reason) => {
      lost = 0;
      inThread(THREAD, () => {
        log.warn('The collector does not accept traces; spans that do not fit into the queue are dropped', { reason });
      });
    },
    recovered: () => {
      inThread(THREAD, () => {
        log.info('The collector accepts traces again', { dropped: lost });
      });
    },
  };
}
