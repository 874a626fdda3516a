import type { IncomingHttpHeaders } from 'node:http';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import type { Random } from '../../kernel/random/random.js';
import { samplerOf, type SamplingSettings } from './sampling.js';
import type { Span, SpanAttributes, TraceHeaders } from './span.js';
import { type ExportLimits, type ExportListener, SpanExport, type SpanReceiver } from './span-export.js';
import type { Tracer } from './tracer.js';

export interface TracerSettings extends SamplingSettings {
  readonly receiver: SpanReceiver;
  readonly limits: ExportLimits;
  /** Facts about this process, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}

const SCOPE = 'login-service';
/** Maximum length of an attribute: callers choose texts such as a path or a host. */
const MAX_ATTRIBUTE_LENGTH = 256;
const MAX_ATTRIBUTES = 32;
/** Time for the last export at shutdown, in milliseconds. */
const CLOSE_LIMIT_MILLIS = 2000;

/** Opens the tracer of the OpenTelemetry SDK; only this file and its imports load the packages of OpenTelemetry. */
export function openTracer(settings: TracerSettings, random: Random, listener: ExportListener): Tracer {
  const spans = new SpanExport(settings.receiver, settings.limits, listener);
  const provider = new TracerProvider({
    resource: resourceFromAttributes(settings.resource),
    sampler: samplerOf(settings, () => random.fraction()),
    idGenerator: {
      generateTraceId: () => random.bytes(16).toString('hex'),
      generateSpanId: () => random.bytes(8).toString('hex'),
    },
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH, attributeCountLimit: MAX_ATTRIBUTES },
    spanProcessors: [spans],
  });
  return new OpenTelemetry(provider.getTracer(SCOPE), spans);
}

const propagator = new W3CTraceContextPropagator();

class OpenTelemetry implements Tracer {
  constructor(
    private readonly tracer: OtelTracer,
    private readonly spans: SpanExport,
  ) {}

  startRequest(name: string, headers: IncomingHttpHeaders): Span {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    return new RecordedSpan(this.tracer, this.tracer.startSpan(name, { kind: SpanKind.SERVER }, parent));
  }

  startCall(name: string): Span {
    return new RecordedSpan(this.tracer, this.tracer.startSpan(name, { kind: SpanKind.CLIENT }, ROOT_CONTEXT));
  }

  close(): Promise<void> {
    return this.spans.close(CLOSE_LIMIT_MILLIS);
  }
}

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;

  constructor(
    private readonly tracer: OtelTracer,
    private readonly span: OtelSpan,
  ) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
  }

  get isRecording(): boolean {
    return this.span.isRecording();
  }

  child(name: string, { isCall = false } = {}): Span {
    const kind = isCall ? SpanKind.CLIENT : SpanKind.INTERNAL;
    return new RecordedSpan(this.tracer, this.tracer.startSpan(name, { kind }, this.context));
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.span.setAttribute('error.type', type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }

  headers(): TraceHeaders {
    const carrier: Record<string, string> = {};
    propagator.inject(this.context, carrier, defaultTextMapSetter);
    return carrier;
  }

  private get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.span);
  }
}
