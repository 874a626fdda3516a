import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { Counter } from '../../../observability/metrics/meter.js';
import { Meters } from '../../../observability/metrics/meters.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { SecurityEvents } from '../security-events.service.js';
import type { EventBatch } from './event-batch.js';
import type { RestartReason } from './event-chain.service.js';

/** Two replicas with different seal keys would restart the chain of each other without end. */
const MIN_INTERVAL_MILLIS = 10 * 60_000;

/** Limits how often this process begins the chain again, and reports each time by an event, a log line and a meter. */
@Injectable()
export class ChainRestarts {
  private readonly logger: Logger;
  private readonly counter: Counter;
  private lastAt = -Infinity;

  constructor(
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    loggers: Loggers,
    meters: Meters,
  ) {
    this.logger = loggers.get('events.chain');
    this.counter = meters.counter('events.chain.restarts', { description: 'Restarts of the chain of events' }).of();
  }

  get isAllowed(): boolean {
    return this.clock.millis() - this.lastAt >= MIN_INTERVAL_MILLIS;
  }

  /** Reports that the chain begins again with this batch, in the transaction that adds the batch. */
  async record(tx: Tx, { batch }: EventBatch, reason: RestartReason): Promise<void> {
    await this.events.record(tx, {
      kind: 'EVENT_CHAIN_RESTARTED',
      result: 'refused',
      reason,
      detail: { batch: String(batch) },
    });
    tx.afterCommit(() => {
      this.lastAt = this.clock.millis();
      this.counter.increment();
      this.logger.error('The head of the event chain is not authentic; the chain begins again', { batch, reason });
    });
  }
}
