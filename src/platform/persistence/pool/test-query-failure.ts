import { type Problem, problem } from '../../../config/problem.js';

/** Thrown if the database rejects `connection-test-query`: each connection would be closed before it is lent again. */
export class TestQueryFailure extends Error {
  readonly problem: Problem;

  constructor(query: string, code: string, cause: unknown) {
    super('the database rejects the query that checks connections', { cause });
    this.name = 'TestQueryFailure';
    this.problem = problem(
      'The database rejects the query that checks connections',
      'Correct app.datasource.pool.connection-test-query, or remove it: without it, the ping of the protocol is used.',
      { Property: 'app.datasource.pool.connection-test-query', Value: `"${query}"`, Reason: code },
    );
  }
}
