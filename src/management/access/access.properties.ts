import { full } from '../../config/bind/effect.js';
import { oneOf } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ACCESS, type Access } from './access.js';

@Properties('management.endpoints.access')
export class AccessProperties {
  @Key(oneOf(...ACCESS), {
    name: 'default',
    does: 'Access of the management endpoints that set none: nobody, reading only, or all that they offer.',
    effect: full,
    defaultText: 'none for shutdown and heapdump, else unrestricted',
  })
  readonly byDefault?: Access;

  @Key(oneOf(...ACCESS), {
    does: 'Most access that any management endpoint has, whatever other keys say.',
    effect: full,
  })
  readonly maxPermitted: Access = 'unrestricted';
}
