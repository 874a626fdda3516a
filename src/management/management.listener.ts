import { Injectable } from '@nestjs/common';
import type { Answer, PlainRequest, Routes } from '../server/listener.js';
import { Endpoints } from './endpoints.js';
import { isExposed } from './exposure.js';
import { ExposureProperties } from './exposure.properties.js';
import { JSON_PLAIN } from './media-types.js';
import type { Endpoint, Operation, Scalar } from './operation.js';
import { ManagementWebProperties } from './web.properties.js';

/** Puts the exposed endpoints under the base path of whichever listener carries them. */
@Injectable()
export class ManagementListener {
  constructor(
    private readonly web: ManagementWebProperties,
    private readonly exposure: ExposureProperties,
    private readonly endpoints: Endpoints,
  ) {}

  /**
   * Below the root; empty or starting with `/`, without one at the end (management API, "Base path and separate port").
   */
  get basePath(): string {
    return this.web.basePath.replace(/\/$/, '');
  }

  mount(routes: Routes): void {
    const { include, exclude } = this.exposure;
    for (const endpoint of this.endpoints.all) {
      if (isExposed(endpoint.id, include, exclude)) this.mountEndpoint(routes, endpoint);
    }
  }

  private mountEndpoint(routes: Routes, { id, operations }: Endpoint): void {
    for (const operation of operations) {
      const path = `${this.basePath}/${id}${parameterOf(operation)}`;
      const answer = (request: PlainRequest): Promise<Answer> => answerTo(request, operation);
      routes.add(operation.method, path, answer);
      // With and without a slash at the end; one that takes all that is left takes that too.
      if (!path.endsWith('*')) routes.add(operation.method, `${path}/`, answer);
    }
  }
}

function parameterOf({ below }: Operation): string {
  if (below === '') return '';
  return below.startsWith('{*') ? '/*' : `/:${below.slice(1, -1)}`;
}

async function answerTo(request: PlainRequest, operation: Operation): Promise<Answer> {
  const { url, query, headers, parameter, body } = request;
  const {
    status,
    headers: more,
    ...result
  } = await operation.run({
    selector: parameter.replace(/\/$/, ''),
    query,
    body: (body ?? {}) as Readonly<Record<string, Scalar>>,
    caller: undefined,
    mediaType: JSON_PLAIN,
    url,
    headers,
  });
  return {
    status: status ?? (result.body === undefined ? 204 : 200),
    body: result.body,
    ...(more && { headers: more }),
  };
}
