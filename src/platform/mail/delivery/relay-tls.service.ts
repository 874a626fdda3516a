import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Configuration } from '../../../config/configuration.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { ClientTls } from '../../tls/client-tls.js';
import { MAIL_BUNDLE, MailProperties } from '../mail.properties.js';

/** Opens the certificate bundle of the relay. */
@Injectable()
export class RelayTls {
  constructor(
    private readonly properties: MailProperties,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly loggers: Loggers,
  ) {}

  /** Undefined if no bundle is configured. @throws ConfigurationFailure if it cannot be used */
  async open(onChange?: () => void): Promise<ClientTls | undefined> {
    const { sslBundle: name } = this.properties;
    if (name === undefined) return undefined;
    const { SslBundles } = await import('../../tls/ssl-bundles.service.js');
    const bundles = new SslBundles(this.configuration, this.clock);
    return bundles.openClient({ key: MAIL_BUNDLE, name }, this.loggers.get('mail'), onChange);
  }
}
