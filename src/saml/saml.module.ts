import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { IdpMetadata } from './idp-metadata.service.js';
import { IdpMetadataStore } from './idp-metadata.store.js';
import { Idps } from './idps.service.js';
import { MetadataRefresh } from './metadata-refresh.task.js';

/** Sign-in of staff through identity providers. */
@Module({
  imports: [TasksModule],
  providers: [Idps, IdpMetadataStore, IdpMetadata, MetadataRefresh],
  exports: [Idps],
})
export class SamlModule {}
