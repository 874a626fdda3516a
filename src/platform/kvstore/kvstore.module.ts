import { Global, Module } from '@nestjs/common';
import { KvstoreIndicator } from './kvstore.indicator.js';
import { Kvstore } from './kvstore.service.js';

/** The key-value store, if one is configured; every feature that uses it works without one, too. */
@Global()
@Module({ providers: [Kvstore, KvstoreIndicator], exports: [Kvstore] })
export class KvstoreModule {}
