import { full, near } from '../config/bind/effect.js';
import { objects } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { healthComponent } from '../health/declared-components.js';
import { PemBundleProperties } from './pem-bundle.properties.js';
import { StoreBundleProperties } from './store-bundle.properties.js';

/** Health has it where there is a bundle. */
export const SSL_COMPONENT = healthComponent('ssl');

@Properties('app.ssl.bundle')
export class SslBundleProperties {
  @Key(objects(PemBundleProperties, 'name'), {
    does: 'Certificates, keys and trusted authorities in PEM form, used elsewhere by the name of the bundle.',
    effect: full,
  })
  readonly pem: ReadonlyMap<string, PemBundleProperties> = new Map();

  @Key(objects(StoreBundleProperties, 'name'), {
    does: 'Certificates, keys and trusted authorities in key store files, used elsewhere by the name of the bundle.',
    effect: near('PKCS12 only; JKS files must be converted, and trusted authorities stand in a PEM bundle'),
  })
  readonly jks: ReadonlyMap<string, StoreBundleProperties> = new Map();
}
