import { notYet } from '../../config/effect.js';
import { oneOf } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

@Properties('management.endpoint.health')
export class HealthEndpointProperties {
  @Key(oneOf('never', 'when-authorized', 'always'), {
    does: 'Who sees more than the status: nobody, callers with the rights of an operator, or everybody.',
    effect: notYet('F'),
  })
  readonly showDetails: 'never' | 'when-authorized' | 'always' = 'never';
}
