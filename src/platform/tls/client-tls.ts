import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { lineOf } from '../../config/problem.js';
import type { SslBundle } from './ssl-bundle.js';

/** The part of a logger that this folder uses. */
export interface UpdateLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** TLS of the connections of a client to another system. */
export interface ClientTls {
  /**
   * Options for `tls.connect`. After a change of the files, the same object holds the new context for new connections.
   */
  readonly options: { readonly secureContext: SecureContext };
  /** The options of the context; replaced after a change of the files. */
  readonly context: SecureContextOptions;
  /** Ends the watch of the files. */
  close(): void;
}

/**
 * Reads a bundle, and follows changes of its files if it is reloaded; `onChange` is called once the new ones are in use.
 * `facts` are fields of the lines in the log.
 * @throws ConfigurationFailure if it cannot be used
 */
export function openClientTls(
  bundle: SslBundle,
  facts: Readonly<Record<string, string>>,
  log: UpdateLog,
  onChange?: () => void,
): ClientTls {
  let { context: current } = bundle.clientIdentity();
  const options = { secureContext: createSecureContext(current) };
  const close = bundle.onUpdate('client', (update) => {
    if (update.kind === 'refused') {
      log.warn('The changed files of a certificate bundle cannot be used; the old ones stay in use', {
        ...facts,
        problem: lineOf(update.problem),
      });
      return;
    }
    const { context, until, warnings } = update.identity;
    current = context;
    options.secureContext = createSecureContext(context);
    log.info('Reloaded a certificate bundle for new connections', { ...facts, validUntil: until });
    for (const warning of warnings) log.warn('A certificate of a bundle is not valid', { ...facts, warning });
    onChange?.();
  });
  return {
    options,
    get context() {
      return current;
    },
    close,
  };
}
