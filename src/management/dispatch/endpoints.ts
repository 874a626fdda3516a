import type { Endpoint } from './operation.js';

/** Every endpoint, in the order of discovery. */
export class Endpoints {
  constructor(readonly all: readonly Endpoint[]) {}
}
