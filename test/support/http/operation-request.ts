import { JSON_PLAIN } from '../../../src/management/dispatch/negotiation.js';
import type { Endpoint, Operation, OperationRequest, Result } from '../../../src/management/dispatch/operation.js';

type Input = Partial<Omit<OperationRequest, 'query'>> & { readonly query?: string };

/** Runs an operation of an endpoint as the listener does, without HTTP. */
export async function ask(
  { operations }: Endpoint,
  method: Operation['method'],
  { query = '', ...input }: Input = {},
): Promise<Result> {
  const { selector = '' } = input;
  const operation = operations.find(
    (each) => each.method === method && (each.pathTemplate === '') === (selector === ''),
  );
  if (!operation) throw new Error(`nothing takes ${method} ${selector}`);
  return operation.run({
    selector,
    query: new URLSearchParams(query),
    body: {},
    operator: undefined,
    wantsBody: true,
    mediaType: JSON_PLAIN,
    url: 'http://127.0.0.1/actuator',
    headers: {},
    ...input,
  });
}
