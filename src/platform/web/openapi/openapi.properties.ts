import { full } from '../../../config/bind/effect.js';
import { flag } from '../../../config/bind/key-type.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';

@Properties('app.openapi')
export class OpenApiProperties {
  @Key(flag(), {
    does:
      'Whether the service serves the description of its API at /openapi.json (OpenAPI 3.1) and a readable page at ' +
      '/docs, both without authentication. If disabled, these paths do not exist.',
    effect: full,
  })
  readonly enabled: boolean = true;
}
