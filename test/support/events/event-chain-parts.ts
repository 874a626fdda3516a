import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../src/kernel/clock/clock.js';
import { Duration } from '../../../src/config/bind/duration.js';
import { ChainRestarts } from '../../../src/identity/events/chain/chain-restarts.service.js';
import { ChainSeal } from '../../../src/identity/events/chain/chain-seal.service.js';
import { EventChain } from '../../../src/identity/events/chain/event-chain.service.js';
import { EventChainStore } from '../../../src/identity/events/chain/event-chain.store.js';
import { EventRelay, type RelayTurn } from '../../../src/identity/events/chain/event-relay.service.js';
import { EventVerification } from '../../../src/identity/events/chain/event-verification.service.js';
import { EventRetention } from '../../../src/identity/events/event-retention.service.js';
import { EventRetentionTask } from '../../../src/identity/events/event-retention.task.js';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { EventProperties } from '../../../src/identity/events/events.properties.js';
import type { SecurityEvent } from '../../../src/identity/events/security-event.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Sealer } from '../../../src/platform/sealing/sealer.js';
import { ScheduledTasks } from '../../../src/platform/tasks/scheduled-tasks.js';

const DAY_SECONDS = 86_400;

/** The services of the event chain of one replica, constructed on a real database. */
export interface EventChainParts {
  readonly events: SecurityEvents;
  readonly relay: EventRelay;
  readonly verification: EventVerification;
  readonly tasks: ScheduledTasks;
  readonly retention: (days?: number) => EventRetention;
  readonly record: (...events: readonly SecurityEvent[]) => Promise<void>;
  /** Relays until no event is left. */
  readonly relayAll: () => Promise<readonly RelayTurn[]>;
}

/** Seal keys by id; the last one is active. */
export type SealKeys = Readonly<Record<string, Uint8Array>>;

export const SEAL_KEYS: SealKeys = { one: randomBytes(32) };

export function eventChainParts(
  work: UnitOfWork,
  clock: Clock,
  {
    sealKeys = SEAL_KEYS,
    loggers = new Loggers(),
    meters = new Meters(),
  }: { readonly sealKeys?: SealKeys; readonly loggers?: Loggers; readonly meters?: Meters } = {},
): EventChainParts {
  const random = new SystemRandom();
  const [store, batches] = [new EventStore(), new EventChainStore()];
  const seal = new ChainSeal(new Sealer(Object.keys(sealKeys).at(-1) ?? '', new Map(Object.entries(sealKeys)), random));
  const events = new SecurityEvents(store, clock, random, loggers, work);
  const chain = new EventChain(batches, store, seal);
  const relay = new EventRelay(work, chain, new ChainRestarts(events, clock, loggers, meters), clock);
  const tasks = new ScheduledTasks(clock);
  return {
    events,
    relay,
    tasks,
    verification: new EventVerification(work, store, batches, seal, clock),
    retention(days) {
      const kept = days === undefined ? {} : { retention: Duration.ofSeconds(days * DAY_SECONDS) };
      const properties = Object.assign(new EventProperties(), kept);
      const retention = new EventRetention(chain, work, clock, properties, loggers);
      new EventRetentionTask(retention, properties, random, tasks);
      return retention;
    },
    record: (...recorded) => events.recordAlone(...recorded),
    async relayAll() {
      const turns: RelayTurn[] = [];
      for (let turn = await relay.relay(); turn !== 'none'; turn = await relay.relay()) turns.push(turn);
      return turns;
    },
  };
}
