import { Module } from '@nestjs/common';
import { KvstoreIndicator } from './kvstore.indicator.js';

@Module({ providers: [KvstoreIndicator] })
export class KvstoreModule {}
