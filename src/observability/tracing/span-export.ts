import { TraceFlags } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Result of one request; `later` means that the same spans may be sent again (OTLP 1.x, "Failures"). */
export type OtlpResult =
  | { readonly outcome: 'accepted'; readonly rejected: number }
  | { readonly outcome: 'rejected' | 'later'; readonly reason: string; readonly retryAfterMillis?: number };

/** Delivers batches of spans; `outbound` implements it. */
export interface SpanReceiver {
  /** Sends a request of OTLP in JSON. Never rejects; `stop` gives up at once. */
  send(body: Uint8Array, stop: AbortSignal): Promise<OtlpResult>;
}

export type DropReason = 'queue_full' | 'not_delivered' | 'rejected';

/** Receives the result of each span export. */
export interface ExportListener {
  exported(spans: number): void;
  dropped(spans: number, reason: DropReason): void;
  /** Called once when delivery begins to fail, and not again before `recovered`. */
  failing(reason: string): void;
  recovered(): void;
}

export interface ExportLimits {
  /** Maximum number of ended spans that wait for the next batch; further ones are dropped. */
  readonly maxQueueSize: number;
  /** Maximum time between two batches. */
  readonly scheduleDelayMillis: number;
}

const MAX_BATCH_SIZE = 512;
/** Maximum number of attempts for a batch; together they take longer than a restart of the collector. */
const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MILLIS = 1000;
/** Disables the timeout of the processor: the number of attempts limits the export of a batch. */
const NO_LIMIT_MILLIS = 2 ** 31 - 1;

/**
 * Exports ended spans in batches, outside of the requests that ended them. The queue is bounded: if the collector is slow or
 * down, spans are dropped and counted, and no request waits.
 */
export class SpanExport implements SpanProcessor, SpanExporter {
  private readonly stop = new AbortController();
  private readonly batches: BatchSpanProcessor;
  private waiting = 0;
  private isFailing = false;

  constructor(
    private readonly receiver: SpanReceiver,
    private readonly limits: ExportLimits,
    private readonly listener: ExportListener,
  ) {
    this.batches = new BatchSpanProcessor({
      exporter: this,
      // This class limits the queue, in order to count what is dropped.
      maxQueueSize: limits.maxQueueSize + 1,
      maxExportBatchSize: Math.min(MAX_BATCH_SIZE, limits.maxQueueSize),
      scheduledDelayMillis: limits.scheduleDelayMillis,
      exportTimeoutMillis: NO_LIMIT_MILLIS,
    });
  }

  onStart(): void {
    // Only ended spans are exported.
  }

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.waiting >= this.limits.maxQueueSize) {
      this.listener.dropped(1, 'queue_full');
      return;
    }
    this.waiting += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  /** Called by the batches, which export one after the other. */
  export(spans: readonly ReadableSpan[], done: (result: ExportResult) => void): void {
    this.waiting -= spans.length;
    this.deliver(spans).then(
      (code) => {
        done({ code });
      },
      () => {
        this.listener.dropped(spans.length, 'not_delivered');
        done({ code: ExportResultCode.FAILED });
      },
    );
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }

  /** Exports the waiting spans; after `limitMillis` the rest is dropped. */
  async close(limitMillis: number): Promise<void> {
    const limit = setTimeout(() => {
      this.stop.abort();
    }, limitMillis);
    await this.batches.shutdown().catch(() => undefined);
    clearTimeout(limit);
  }

  private async deliver(spans: readonly ReadableSpan[]): Promise<ExportResultCode> {
    const result = await this.attempts(Uint8Array.from(JsonTraceSerializer.serializeRequest([...spans]) ?? []));
    if (result.outcome !== 'accepted') {
      this.listener.dropped(spans.length, result.outcome === 'rejected' ? 'rejected' : 'not_delivered');
      return ExportResultCode.FAILED;
    }
    const rejected = Math.min(result.rejected, spans.length);
    if (rejected > 0) this.listener.dropped(rejected, 'rejected');
    this.listener.exported(spans.length - rejected);
    return ExportResultCode.SUCCESS;
  }

  private async attempts(body: Uint8Array<ArrayBuffer>): Promise<OtlpResult> {
    for (let attempt = 0; ; attempt += 1) {
      const result = await this.receiver.send(body, this.stop.signal);
      this.report(result);
      if (result.outcome !== 'later' || attempt + 1 >= MAX_ATTEMPTS || this.stop.signal.aborted) return result;
      await this.pause(result.retryAfterMillis ?? FIRST_DELAY_MILLIS * 2 ** attempt);
    }
  }

  private report(result: OtlpResult): void {
    const hasFailed = result.outcome !== 'accepted';
    if (hasFailed === this.isFailing) return;
    this.isFailing = hasFailed;
    if (hasFailed) this.listener.failing(result.reason);
    else this.listener.recovered();
  }

  /** The time before the next attempt; it ends early at shutdown. */
  private pause(millis: number): Promise<void> {
    const { signal } = this.stop;
    return new Promise((resolve) => {
      const timer = setTimeout(end, millis).unref();
      signal.addEventListener('abort', end, { once: true });
      function end(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      }
    });
  }
}
