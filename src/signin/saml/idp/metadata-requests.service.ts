import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { MetadataRequestStore } from './metadata-request.store.js';

/** Requests of operators to read metadata again, which every running replica obeys. */
@Injectable()
export class MetadataRequests {
  constructor(
    private readonly store: MetadataRequestStore,
    private readonly work: UnitOfWork,
  ) {}

  add(idp: string): Promise<void> {
    return this.work.run((tx) => this.store.add(tx, idp));
  }

  /** By the names of the identity providers; without those that were never requested. */
  counts(): Promise<ReadonlyMap<string, number>> {
    return this.work.single((tx) => this.store.counts(tx));
  }
}
