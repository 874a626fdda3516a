import { Readable } from 'node:stream';
import { JSON_TYPES } from '../../../src/management/dispatch/negotiation.js';
import {
  type Endpoint,
  NOT_FOUND,
  type Operation,
  type OperationRequest,
} from '../../../src/management/dispatch/operation.js';

const TEXT = 'text/plain;charset=UTF-8';

/** Endpoints of every kind, with the ids and paths of the contract, that return their input. */
export class SampleEndpoints {
  /** Inputs of the operations, oldest first. */
  readonly requests: OperationRequest[] = [];

  readonly all: readonly Endpoint[] = [
    { id: 'health', isPublic: true, operations: [this.read(''), this.read('{*path}')] },
    { id: 'info', operations: [this.operation('GET', '', () => ({ body: { none: null, nor: undefined, is: 1 } }))] },
    {
      id: 'env',
      requiresMfaToRead: true,
      operations: [{ ...this.read(''), queryParameters: ['pattern'] }, this.read('{toMatch}')],
    },
    {
      id: 'loggers',
      operations: [
        this.read(''),
        this.read('{name}'),
        { ...this.operation('POST', '{name}', () => ({})), produces: [] },
      ],
    },
    {
      id: 'caches',
      operations: [
        this.read(''),
        this.read('{cache}'),
        { ...this.operation('DELETE', '', () => ({})), produces: [] },
        { ...this.operation('DELETE', '{cache}', () => ({})), produces: [] },
      ],
    },
    {
      id: 'threaddump',
      operations: [
        {
          ...this.operation('GET', '', ({ mediaType }) => ({ body: mediaType === TEXT ? '"main"' : { threads: [] } })),
          produces: [...JSON_TYPES, TEXT],
        },
      ],
    },
    {
      id: 'logfile',
      operations: [
        {
          ...this.operation('GET', '', () => ({ body: Readable.from(['one line\n']), headers: { 'x-part': '1' } })),
          produces: [TEXT],
        },
      ],
    },
    {
      id: 'shutdown',
      operations: [{ ...this.operation('POST', '', () => ({ body: { message: 'bye' } })), hasNoParameters: true }],
    },
  ];

  /** Returns its input; the name `unknown` does not exist. */
  private read(pathTemplate: Operation['pathTemplate']): Operation {
    return this.operation('GET', pathTemplate, ({ selector, query, operator, mediaType }) =>
      selector === 'unknown'
        ? NOT_FOUND
        : {
            body: { selector, query: query.toString(), caller: operator?.name, mediaType, count: this.requests.length },
          },
    );
  }

  private operation(
    method: Operation['method'],
    pathTemplate: Operation['pathTemplate'],
    run: Operation['run'],
  ): Operation {
    return {
      method,
      pathTemplate,
      run: (request) => {
        this.requests.push(request);
        return run(request);
      },
    };
  }
}
