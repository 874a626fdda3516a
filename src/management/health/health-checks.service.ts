import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { Clock } from '../../clock/clock.js';
import { Duration } from '../../config/bind/duration.js';
import type { Health, HealthIndicator } from '../../health/health-components.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { failureText } from './failure-text.js';
import { HealthEndpointProperties } from './health.properties.js';
import { DOWN } from './status.js';

/** Half of what a console waits for the whole answer. */
const DEFAULT_TIMEOUT_MILLIS = 5000;

/** What a check found, and when. */
interface LastResult {
  readonly status: string;
  /** ISO 8601. */
  readonly time: string;
}

/**
 * Runs indicators, each within its limit and never twice at once: who asks while a check runs gets the answer of that one,
 * so that a thing that hangs costs one check and not one for every probe.
 */
@Injectable()
export class HealthChecks {
  private readonly log: Logger;
  private readonly running = new Map<HealthIndicator, Promise<Health>>();
  private readonly last = new Map<HealthIndicator, LastResult>();

  constructor(
    private readonly properties: HealthEndpointProperties,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('management.health');
  }

  check(indicator: HealthIndicator): Promise<Health> {
    const running = this.running.get(indicator);
    if (running) return running;
    const answer = this.run(indicator);
    this.running.set(indicator, answer);
    return answer;
  }

  private async run(indicator: HealthIndicator): Promise<Health> {
    // A start should not wait for what the first question loads.
    const { HealthIndicatorService } = await import('@nestjs/terminus');
    const { name, limitMillis = DEFAULT_TIMEOUT_MILLIS } = indicator;
    const begunAt = this.clock.millis();
    let health: Health | undefined;
    const check = async (signal: AbortSignal): Promise<void> => {
      const found = await resultOf(indicator, signal);
      this.end(indicator, begunAt, found?.status);
      // Beyond the limit the answer is out, or is to name the limit.
      if (!signal.aborted) health = found;
    };
    const session = new HealthIndicatorService().check(name);
    await session.attempt(({ signal }) => check(signal)).withTimeout(limitMillis);
    return ofSubject(indicator, health ?? this.late(indicator, limitMillis));
  }

  private late(indicator: HealthIndicator, limitMillis: number): Health {
    const limit = Duration.ofMillis(limitMillis).toString();
    this.log.warn(`The health indicator ${indicator.name} has not answered within ${limit}`);
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

/** Undefined where it gave up because nobody waits any more. */
async function resultOf(indicator: HealthIndicator, signal: AbortSignal): Promise<Health | undefined> {
  try {
    return await indicator.check(signal);
  } catch (error) {
    return signal.aborted ? undefined : { status: DOWN, details: { error: failureText(error) } };
  }
}
