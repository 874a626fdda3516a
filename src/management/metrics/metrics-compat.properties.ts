import { near } from '../../config/bind/effect.js';
import { flag } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('management.metrics.compat')
export class MetricsCompatProperties {
  @Key(flag(), {
    does: 'Whether memory and garbage collection are also recorded under the names of the Java virtual machine.',
    effect: near(
      'jvm.memory.used, .committed, .max and jvm.gc.pause; there is nothing here that jvm.threads would count.',
    ),
  })
  readonly jvmNames: boolean = false;
}
