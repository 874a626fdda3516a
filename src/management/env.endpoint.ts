import { Injectable } from '@nestjs/common';
import { Configuration } from '../config/configuration.js';
import { type Endpoint, NOT_THERE, type Operation, type OperationRequest, type Result } from './dispatch/operation.js';
import { maySee } from './access/show.js';
import { EnvEndpointProperties } from './env-endpoint.properties.js';
import type { EnvFacts } from './env-page.js';

/** `GET {management_base}/env` and `/env/<key>` (management API, "env"). */
@Injectable()
export class EnvEndpoint implements Endpoint {
  readonly id = 'env';
  readonly readsNeedOtp = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', below: '', parameters: ['pattern'], run: (request) => this.all(request) },
    { method: 'GET', below: '{toMatch}', run: (request) => this.one(request) },
  ];

  constructor(
    private readonly configuration: Configuration,
    private readonly keys: EnvEndpointProperties,
  ) {}

  private async all(request: OperationRequest): Promise<Result> {
    const { allSources } = await import('./env-page.js');
    return { body: allSources(await this.factsFor(request), request.query.get('pattern')) };
  }

  private async one(request: OperationRequest): Promise<Result> {
    const { oneKey } = await import('./env-page.js');
    const body = oneKey(await this.factsFor(request), request.selector);
    return body ? { body } : NOT_THERE;
  }

  private async factsFor({ caller }: OperationRequest): Promise<EnvFacts> {
    const { Inspection } = await import('../config/show/inspection.js');
    const { environment, registry } = this.configuration;
    const { showValues, roles } = this.keys;
    return {
      environment,
      inspection: new Inspection(environment, registry),
      showsValues: maySee(showValues, roles, caller),
    };
  }
}
