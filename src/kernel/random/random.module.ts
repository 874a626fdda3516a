import { Global, Module } from '@nestjs/common';
import { Random, SystemRandom } from './random.js';

@Global()
@Module({ providers: [{ provide: Random, useClass: SystemRandom }], exports: [Random] })
export class RandomModule {}
