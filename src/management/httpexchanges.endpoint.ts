import { Injectable } from '@nestjs/common';
import { HttpExchanges } from '../http/records/http-exchanges.js';
import type { Endpoint, Operation } from './dispatch/operation.js';

/** `GET {management_base}/httpexchanges`: the last requests and their answers; not there where none are recorded. */
@Injectable()
export class HttpExchangesEndpoint implements Endpoint {
  readonly id = 'httpexchanges';
  readonly operations: readonly Operation[];

  constructor(exchanges: HttpExchanges) {
    const run: Operation['run'] = () => ({ body: { exchanges: exchanges.all } });
    this.operations = exchanges.isRecording ? [{ method: 'GET', pathTemplate: '', run }] : [];
  }
}
