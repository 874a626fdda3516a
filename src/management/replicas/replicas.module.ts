import { Module } from '@nestjs/common';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { ReplicaStore } from './replica.store.js';
import { Replicas } from './replicas.service.js';

/** The running instances; part of the service, not of commands. */
@Module({
  imports: [TasksModule],
  providers: [ReplicaStore, Replicas],
  exports: [Replicas],
})
export class ReplicasModule {}
