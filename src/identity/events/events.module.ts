import { Module } from '@nestjs/common';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { ChainRestarts } from './chain/chain-restarts.service.js';
import { ChainSeal } from './chain/chain-seal.service.js';
import { EventChain } from './chain/event-chain.service.js';
import { EventChainStore } from './chain/event-chain.store.js';
import { EventRelay } from './chain/event-relay.service.js';
import { EventVerification } from './chain/event-verification.service.js';
import { EventRetention } from './event-retention.service.js';
import { EventRetentionTask } from './event-retention.task.js';
import { EventSearch } from './event-search.service.js';
import { EventStore } from './event.store.js';
import { LevelAudit } from '../../observability/logging/log-levels.js';
import { LevelEvents } from './level-events.service.js';
import { SignInCountStore } from './sign-ins/sign-in-count.store.js';
import { SignInCounts } from './sign-ins/sign-in-counts.service.js';
import { SignInCountsTask } from './sign-ins/sign-in-counts.task.js';
import { SecurityEvents } from './security-events.service.js';

@Module({
  imports: [TasksModule],
  providers: [
    ...[ChainRestarts, ChainSeal, EventChain, EventChainStore, EventRelay, EventVerification],
    ...[EventRetention, EventRetentionTask, EventSearch, EventStore, SecurityEvents],
    ...[SignInCounts, SignInCountsTask, SignInCountStore],
    { provide: LevelAudit, useClass: LevelEvents },
  ],
  exports: [EventRelay, EventSearch, EventVerification, LevelAudit, SecurityEvents, SignInCounts],
})
export class EventsModule {}
