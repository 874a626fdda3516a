import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { PublicUrlProperties, ServletProperties } from '../../../platform/http/server.properties.js';
import { SslBundles } from '../../../platform/tls/ssl-bundles.service.js';
import { Issuer } from '../../../identity/token/signed-token.js';
import type { Idp } from '../idp/idps.service.js';
import { isLoopback } from '../idp/idp-trust.js';
import { keysOf, type ServiceProvider, createServiceProvider, type ServiceProviderKeys } from './service-provider.js';

/** This service as a service provider of each identity provider. */
@Injectable()
export class ServiceProviders implements OnModuleDestroy {
  private readonly keys = new Map<string, ServiceProviderKeys | undefined>();
  private readonly watches: (() => void)[] = [];

  constructor(
    private readonly bundles: SslBundles,
    private readonly publicUrl: PublicUrlProperties,
    private readonly issuer: Issuer,
    private readonly servlet: ServletProperties,
  ) {}

  onModuleDestroy(): void {
    for (const end of this.watches) end();
  }

  /**
   * Without a public URL, the host of the request is used (http-api section 2), but only a loopback host. Any other host is
   * chosen by the caller, who could make an assertion for another service valid here.
   */
  of({ name, properties }: Idp, { protocol, host }: Pick<HttpRequest, 'protocol' | 'host'>): ServiceProvider {
    const requested = `${protocol}://${host}${this.servlet.contextPath}`;
    const base = this.publicUrl.publicUrl ?? (isLoopback(requested) ? requested : this.issuer.url);
    const { spEntityId, bundle } = properties;
    const keys = bundle === undefined ? undefined : this.keysOf(`app.security.saml.idp.${name}.bundle`, bundle);
    return createServiceProvider(base, name, { spEntityId, keys });
  }

  /** Read once, and again after a watched file of the bundle has changed; invalid new files leave the old keys in use. */
  private keysOf(key: string, bundle: string): ServiceProviderKeys | undefined {
    if (this.keys.has(bundle)) return this.keys.get(bundle);
    const read = this.bundles.named({ key, name: bundle });
    const keys = keysOf(read.serverIdentity().context);
    this.keys.set(bundle, keys);
    this.watches.push(
      read.onUpdate('server', (update) => {
        if (update.kind === 'taken') this.keys.set(bundle, keysOf(update.identity.context));
      }),
    );
    return keys;
  }
}
