import { Injectable } from '@nestjs/common';
import { Configuration } from '../config/configuration.js';
import { type Endpoint, NOT_FOUND, type Operation, type OperationRequest, type Result } from './dispatch/operation.js';
import { isShown } from './access/show.js';
import { EnvEndpointProperties } from './management.properties.js';
import type { EnvContext } from './env-page.js';

/** `GET {management_base}/env` and `/env/<key>` (management API, "env"). */
@Injectable()
export class EnvEndpoint implements Endpoint {
  readonly id = 'env';
  readonly requiresOtpToRead = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', queryParameters: ['pattern'], run: (request) => this.all(request) },
    { method: 'GET', pathTemplate: '{toMatch}', run: (request) => this.one(request) },
  ];

  constructor(
    private readonly configuration: Configuration,
    private readonly keys: EnvEndpointProperties,
  ) {}

  private async all(request: OperationRequest): Promise<Result> {
    const { describeSources } = await import('./env-page.js');
    return { body: describeSources(await this.factsFor(request), request.query.get('pattern')) };
  }

  private async one(request: OperationRequest): Promise<Result> {
    const { describeKey } = await import('./env-page.js');
    const body = describeKey(await this.factsFor(request), request.selector);
    return body ? { body } : NOT_FOUND;
  }

  private async factsFor({ operator }: OperationRequest): Promise<EnvContext> {
    const { Inspection } = await import('../config/show/inspection.js');
    const { environment, registry } = this.configuration;
    const { showValues, roles } = this.keys;
    return {
      environment,
      inspection: new Inspection(environment, registry),
      showsValues: isShown(showValues, roles, operator),
    };
  }
}
