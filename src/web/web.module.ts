import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AcceptGuard } from './accept.guard.js';
import { NoBodyGuard } from './no-body.guard.js';
import { ProblemFilter } from './problem.filter.js';
import { SchemaPipe } from './schema.pipe.js';

/** Global filter, guards and pipe of all controllers: problem bodies, `Accept`, schemas. */
@Module({
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useClass: AcceptGuard },
    { provide: APP_GUARD, useClass: NoBodyGuard },
    { provide: APP_PIPE, useClass: SchemaPipe },
  ],
})
export class WebModule {}
