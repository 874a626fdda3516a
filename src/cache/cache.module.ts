import { Module } from '@nestjs/common';
import { CacheRegistry } from './cache-registry.js';

/** Caches, known by their names. */
@Module({ providers: [CacheRegistry], exports: [CacheRegistry] })
export class CacheModule {}
