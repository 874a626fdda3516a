import { full } from '../config/bind/effect.js';
import { objects } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { healthComponent } from '../health/declared-components.js';
import { IdpProperties } from './idp/idp.properties.js';

/** Health has it where there is an identity provider. */
export const SAML_COMPONENT = healthComponent('saml');

@Properties('app.security.saml')
export class SamlProperties {
  @Key(objects(IdpProperties, 'name'), {
    does: 'Identity providers that staff sign in through, by the names in their paths: /saml/<name>/login.',
    effect: full,
  })
  readonly idp: ReadonlyMap<string, IdpProperties> = new Map();
}
