import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import type {
  HealthCheckResult,
  HealthCheckService,
  HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Duration } from '../../config/bind/duration.js';
import type { Health, HealthIndicator } from '../../observability/health/health-components.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { failureText } from './failure-text.js';
import { HealthEndpointProperties } from './health.properties.js';
import { DOWN, UP } from './status.js';

/** Default timeout of a check, half of the time that a console waits for the whole response. */
const DEFAULT_TIMEOUT_MILLIS = 5000;

interface TerminusServices {
  readonly health: HealthCheckService;
  readonly indicators: HealthIndicatorService;
}

/** The last result of a check and its time. */
interface LastResult {
  readonly status: string;
  /** ISO 8601. */
  readonly time: string;
}

/**
 * Runs indicators with a timeout, each once at a time. Callers share a check that is running, so that a system that hangs
 * costs one check and not one per probe.
 */
@Injectable()
export class HealthChecks {
  private readonly log: Logger;
  private readonly running = new Map<HealthIndicator, Promise<Health>>();
  private readonly last = new Map<HealthIndicator, LastResult>();
  private terminus: Promise<TerminusServices> | undefined;

  constructor(
    private readonly properties: HealthEndpointProperties,
    private readonly clock: Clock,
    private readonly modules: LazyModuleLoader,
    loggers: Loggers,
  ) {
    this.log = loggers.get('management.health');
  }

  /** Runs the indicators of these paths together, and returns what each reports. */
  async checkAll(indicators: ReadonlyMap<string, HealthIndicator>): Promise<ReadonlyMap<string, Health>> {
    const { health } = await this.services();
    const checks = Array.from(
      indicators,
      ([path, indicator]) =>
        () =>
          this.resultOf(path, indicator),
    );
    const { details } = await health.check(checks).catch(resultOfFailure);
    return new Map(Object.entries(details).map(([path, result]) => [path, result['health'] as Health]));
  }

  /** Terminus knows two statuses; the report of the indicator is a member of its result. */
  private async resultOf(path: string, indicator: HealthIndicator): Promise<HealthIndicatorResult> {
    const { indicators } = await this.services();
    const health = await this.check(indicator);
    const session = indicators.check(path);
    return health.status === UP ? session.up({ health }) : session.down({ health });
  }

  check(indicator: HealthIndicator): Promise<Health> {
    const running = this.running.get(indicator);
    if (running) return running;
    const result = this.run(indicator);
    this.running.set(indicator, result);
    return result;
  }

  private async run(indicator: HealthIndicator): Promise<Health> {
    const { indicators } = await this.services();
    const { name, limitMillis = DEFAULT_TIMEOUT_MILLIS } = indicator;
    const begunAt = this.clock.millis();
    let health: Health | undefined;
    const check = async (signal: AbortSignal): Promise<void> => {
      const found = await runCheck(indicator, signal);
      this.end(indicator, begunAt, found?.status);
      // After the timeout, the result is ignored: the response names the timeout.
      if (!signal.aborted) health = found;
    };
    await indicators
      .check(name)
      .attempt(({ signal }) => check(signal))
      .withTimeout(limitMillis);
    return ofSubject(indicator, health ?? this.late(indicator, limitMillis));
  }

  private services(): Promise<TerminusServices> {
    return (this.terminus ??= this.load().catch((error: unknown) => {
      // The next check tries again.
      this.terminus = undefined;
      throw error;
    }));
  }

  /** Loads `TerminusModule` at the first check: startup does not wait for it. */
  private async load(): Promise<TerminusServices> {
    const { TerminusModule, HealthCheckService, HealthIndicatorService } = await import('@nestjs/terminus');
    // Terminus must not log failed checks: each probe would repeat the line.
    const module = await this.modules.load(() => TerminusModule.forRoot({ logger: false }), { logger: false });
    return { health: module.get(HealthCheckService), indicators: module.get(HealthIndicatorService) };
  }

  private late(indicator: HealthIndicator, limitMillis: number): Health {
    const limit = Duration.ofMillis(limitMillis).toString();
    this.log.warn(`The health indicator ${indicator.name} has not responded within ${limit}`);
    const lastResult = this.last.get(indicator);
    const error = `TimeoutError: no answer within ${limit}`;
    return { status: DOWN, details: withoutUndefined({ error, lastResult }) };
  }

  private end(indicator: HealthIndicator, begunAt: number, status: string | undefined): void {
    this.running.delete(indicator);
    const now = this.clock.millis();
    if (status !== undefined) this.last.set(indicator, { status, time: new Date(now).toISOString() });
    const { slowIndicatorThreshold: threshold } = this.properties;
    if (now - begunAt <= threshold.milliseconds) return;
    const took = Duration.ofMillis(now - begunAt).toString();
    this.log.warn(`The health indicator ${indicator.name} took ${took}, longer than ${threshold.toString()}`);
  }
}

function ofSubject({ subject }: HealthIndicator, health: Health): Health {
  return subject ? { ...health, details: { ...subject, ...health.details } } : health;
}

/** Returns the result of an indicator; undefined if the check was aborted. */
async function runCheck(indicator: HealthIndicator, signal: AbortSignal): Promise<Health | undefined> {
  try {
    return await indicator.check(signal);
  } catch (error) {
    return signal.aborted ? undefined : { status: DOWN, details: { error: failureText(error) } };
  }
}

/** Returns the results of a check that failed, or that ran while the service stops: its exception contains them. */
function resultOfFailure(error: unknown): HealthCheckResult {
  if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
  throw error;
}
