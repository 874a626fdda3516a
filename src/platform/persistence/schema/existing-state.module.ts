import { Global, Module } from '@nestjs/common';

/** True where a process works on what there is: it creates no tables and no keys, and rotates none. */
export const WORKS_ON_EXISTING_STATE = Symbol('works on existing state');

/** Imported by most commands. The service, and the commands that begin an installation, create what is missing. */
@Global()
@Module({
  providers: [{ provide: WORKS_ON_EXISTING_STATE, useValue: true }],
  exports: [WORKS_ON_EXISTING_STATE],
})
export class ExistingStateModule {}
