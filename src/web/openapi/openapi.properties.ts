import { full } from '../../config/bind/effect.js';
import { flag } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.openapi')
export class OpenApiProperties {
  @Key(flag(), {
    does:
      'Whether the service describes its interface at /openapi.json (OpenAPI 3.1) and, for people, at /docs; both are ' +
      'open to everybody. Off, there is nothing at these paths.',
    effect: full,
  })
  readonly enabled: boolean = true;
}
