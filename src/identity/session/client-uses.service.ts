import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import type { ClientUse } from './client-use.js';
import { ClientUseStore } from './client-use.store.js';

/** The live sessions of applications. */
@Injectable()
export class ClientUses {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: ClientUseStore,
    private readonly clock: Clock,
  ) {}

  /** One row for each client that has any. */
  list(): Promise<readonly ClientUse[]> {
    return this.work.single((tx) => this.store.byClient(tx, this.clock.seconds()));
  }
}
