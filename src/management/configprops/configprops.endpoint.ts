import { Configuration } from '../../config/configuration.js';
import { ManagementEndpoint } from '../dispatch/management-endpoint.decorator.js';
import { type Endpoint, NOT_FOUND, type Operation, type OperationRequest, type Result } from '../dispatch/operation.js';
import { isShown } from '../access/access.js';
import type { Bean } from './beans.js';
import { ConfigpropsEndpointProperties } from '../management.properties.js';

/** `GET {management_base}/configprops` and `/configprops/<prefix>` (management API, "configprops"). */
@ManagementEndpoint()
export class ConfigpropsEndpoint implements Endpoint {
  readonly id = 'configprops';
  readonly requiresMfaToRead = true;

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: async (request) => responseOf(await this.beans(request)) },
    { method: 'GET', pathTemplate: '{prefix}', run: (request) => this.below(request) },
  ];

  constructor(
    private readonly configuration: Configuration,
    private readonly keys: ConfigpropsEndpointProperties,
  ) {}

  private async below(request: OperationRequest): Promise<Result> {
    const beans = await this.beans(request, request.selector);
    return Object.keys(beans).length > 0 ? responseOf(beans) : NOT_FOUND;
  }

  private async beans({ operator }: OperationRequest, startsWith?: string): Promise<Readonly<Record<string, Bean>>> {
    const [{ describeBeans }, { Inspection }] = await Promise.all([
      import('./beans.js'),
      import('../../config/show/inspection.js'),
    ]);
    const { environment, registry } = this.configuration;
    const { showValues, roles } = this.keys;
    const inspection = new Inspection(environment, registry);
    return describeBeans(this.configuration, inspection, isShown(showValues, roles, operator), startsWith);
  }
}

function responseOf(beans: Readonly<Record<string, Bean>>): Result {
  return { body: { contexts: { 'login-service': { beans } } } };
}
