import type { Clock } from '../../../kernel/clock/clock.js';
import type { Configuration } from '../../../config/configuration.js';
import type { Problem } from '../../../config/problem.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { SslBundles } from '../../tls/ssl-bundles.service.js';
import type { ListenerTls } from './secure-server.js';

/** TLS of the main listener, and warnings for startup. */
export interface OpenedTls extends ListenerTls {
  readonly warnings: readonly string[];
}

/**
 * Reads the bundle that `server.ssl.bundle` names.
 * @throws ConfigurationFailure if it cannot be used
 */
export function openTls(configuration: Configuration, bundleName: string, clock: Clock, log: Logger): OpenedTls {
  const bundle = new SslBundles(configuration, clock).named({ key: 'server.ssl.bundle', name: bundleName });
  const { context, warnings } = bundle.serverIdentity();
  const called = `certificate bundle "${bundleName}"`;
  return {
    context,
    warnings: warnings.map((warning) => `${warning} (${called})`),
    onUpdate: (take) =>
      bundle.onUpdate('server', (update) => {
        if (update.kind === 'refused') {
          log.warn(
            `The changed files of the ${called} cannot be used; the old certificate stays in use: ${oneLine(update.problem)}`,
          );
          return;
        }
        take(update.identity.context);
        log.info(`Reloaded the ${called}; its certificate is valid until ${update.identity.until ?? 'unknown'}`);
        for (const warning of update.identity.warnings) log.warn(`${warning} (${called})`);
      }),
  };
}

function oneLine({ what, facts, action }: Problem): string {
  return [what, ...facts.map(([label, text]) => `${label}: ${text}`), action].join('; ');
}
