import { Duration } from '../config/bind/duration.js';
import { full, near } from '../config/bind/effect.js';
import { duration, flag, integer, map, oneOf, type ScalarType, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { ConversionProblem } from '../config/problem.js';

/** Names of the samplers as in Spring Boot; `trace-id-ratio` is the default here. */
export const SAMPLERS = ['trace-id-ratio', 'parent-based-trace-id-ratio'] as const;

/** A URL without credentials, because URLs are shown and logged. */
const collectorUrl: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects: 'a URL such as http://collector:4318/v1/traces, without user and fragment',
  parse: (value) => {
    const trimmed = value.trim();
    const isPlain = /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s#\\]*)?$/i.test(trimmed) && URL.canParse(trimmed);
    return isPlain ? trimmed : new ConversionProblem('not a URL of this form');
  },
};

const share: ScalarType<number> = {
  shape: 'scalar',
  name: 'number',
  emptyMeansDefault: true,
  expects: 'a number from 0.0 to 1.0, such as 0.1',
  parse: (value) => {
    const number = /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : NaN;
    return number <= 1 ? number : new ConversionProblem('not a number from 0.0 to 1.0');
  },
  format: String,
};

const headerValue = text({ form: /^[\x20-\x7e]*$/, called: 'a value of a header, in printable ASCII' });

@Properties('management.tracing')
export class TracingProperties {
  @Key(flag(), {
    does: 'Whether traces are recorded and exported if management.otlp.tracing.endpoint is set.',
    effect: full,
  })
  readonly enabled: boolean = true;
}

@Properties('management.tracing.sampling')
export class TraceSamplingProperties {
  @Key(share, {
    does: 'Share of the traces that are exported; requests of the others carry a trace id in the log all the same.',
    effect: full,
  })
  readonly probability: number = 0.1;
}

@Properties('management.otlp.tracing')
export class OtlpTracingProperties {
  @Key(collectorUrl, {
    does:
      'Trace endpoint of an OpenTelemetry collector, e.g. http://collector:4318/v1/traces. If unset, traces are off: no ' +
      'request is traced, and no code of OpenTelemetry is loaded.',
    effect: near('The service sends OTLP over HTTP with JSON, which every collector accepts beside protobuf.'),
    defaultText: 'traces are off',
  })
  readonly endpoint?: string;

  @Key(map(headerValue, 'header'), {
    does: 'Headers of each request to the collector, such as credentials.',
    effect: full,
    secret: true,
  })
  readonly headers: ReadonlyMap<string, string> = new Map();

  @Key(duration({ min: '100ms', max: '1m' }), {
    does: 'Longest duration of a request to the collector, with its response.',
    effect: full,
  })
  readonly timeout: Duration = Duration.ofSeconds(10);
}

@Properties('management.opentelemetry')
export class OpenTelemetryProperties {
  @Key(map(text(), 'attribute'), {
    does: 'Attributes of this service in every trace, such as service.name and deployment.environment.name.',
    effect: full,
    defaultText: 'service.name: login-service',
  })
  readonly resourceAttributes: ReadonlyMap<string, string> = new Map();
}

@Properties('management.opentelemetry.tracing')
export class OpenTelemetryTracingProperties {
  @Key(oneOf(...SAMPLERS), {
    does:
      'Who decides whether a trace that a caller began is exported: this service by the probability, or with ' +
      'parent-based-trace-id-ratio the caller. Choose the caller only behind a gateway that sets traceparent itself: ' +
      'otherwise any client can have every request exported.',
    effect: near('trace-id-ratio decides by a number of its own, since callers choose the trace id.'),
  })
  readonly sampler: (typeof SAMPLERS)[number] = 'trace-id-ratio';
}

@Properties('management.opentelemetry.tracing.export')
export class TraceExportProperties {
  @Key(duration({ min: '10ms', max: '1m' }), {
    does: 'Longest time that an ended span waits for a batch of 512.',
    effect: full,
  })
  readonly scheduleDelay: Duration = Duration.ofSeconds(5);

  @Key(integer({ min: 1, max: 65_536 }), {
    does: 'Ended spans that wait for the collector; further ones are dropped and counted in tracing.spans.dropped.',
    effect: full,
  })
  readonly maxQueueSize: number = 2048;
}
