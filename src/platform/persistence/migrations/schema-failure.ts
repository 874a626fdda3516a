import type { Problem } from '../../../config/problem.js';

/** Thrown if the tables do not fit this version or cannot be changed; `problem` is its part of the failure report. */
export class SchemaFailure extends Error {
  constructor(
    readonly problem: Problem,
    options?: ErrorOptions,
  ) {
    super(problem.what, options);
    this.name = 'SchemaFailure';
  }
}
