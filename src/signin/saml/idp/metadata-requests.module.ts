import { Module } from '@nestjs/common';
import { MetadataRequestStore } from './metadata-request.store.js';
import { MetadataRequests } from './metadata-requests.service.js';

/** Requests to read metadata again: the command `saml refresh` needs them without the rest of the staff login. */
@Module({
  providers: [MetadataRequestStore, MetadataRequests],
  exports: [MetadataRequests],
})
export class MetadataRequestsModule {}
