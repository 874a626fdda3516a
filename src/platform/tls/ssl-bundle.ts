import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../kernel/clock/clock.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { ConfigurationFailure, type Problem } from '../../config/problem.js';
import {
  type BundleContents,
  type BundleProblem,
  certificateName,
  codeOf,
  type TlsRole,
  UnusableBundle,
} from './bundle-reading.js';
import { fits, type TlsVersion } from './protocol-options.js';
import { watchFiles } from './watched-files.js';
import type { X509Certificate } from 'node:crypto';

/** Options of a bundle. */
export interface BundleChoices {
  readonly ciphers: readonly string[];
  readonly enabledProtocols: readonly TlsVersion[];
  readonly reloadOnUpdate: boolean;
}

/** TLS context of a server or a client, and warnings for the operator. */
export interface TlsIdentity {
  /** Options for `tls.createServer`, `server.setSecureContext` and `tls.createSecureContext`. */
  readonly context: SecureContextOptions;
  /** One warning per certificate that has expired or is not valid yet. */
  readonly warnings: readonly string[];
  /** End of the validity of the own certificate; undefined for a client without one. */
  readonly until?: string;
}

/** Result of reading changed files. */
export type Update =
  { readonly kind: 'taken'; readonly identity: TlsIdentity } | { readonly kind: 'refused'; readonly problem: Problem };

/** A bundle whose files may be read repeatedly. */
export class SslBundle {
  private last: TlsIdentity | undefined;

  constructor(
    private readonly options: BundleChoices,
    private readonly files: readonly string[],
    private readonly contents: (role: TlsRole) => BundleContents,
    private readonly problemOf: (problem: BundleProblem) => Problem,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the certificate of a server.
   * @throws ConfigurationFailure with an action for the operator
   */
  serverIdentity(): TlsIdentity {
    return this.reported('server');
  }

  /**
   * Reads the TLS context of a client: the trusted authorities of the bundle, if it has any, replace those of the runtime,
   * and its certificate, if it has one, identifies the client.
   * @throws ConfigurationFailure with an action for the operator
   */
  clientIdentity(): TlsIdentity {
    return this.reported('client');
  }

  /** Calls back after changed files were read, if reload-on-update is set; the returned function stops that. */
  onUpdate(role: TlsRole, take: (update: Update) => void): () => void {
    if (!this.options.reloadOnUpdate) return () => undefined;
    return watchFiles(this.files, () => {
      const update = this.updated(role);
      if (update) take(update);
    });
  }

  private reported(role: TlsRole): TlsIdentity {
    try {
      return this.read(role);
    } catch (error) {
      if (!(error instanceof UnusableBundle)) throw error;
      throw new ConfigurationFailure([this.problemOf(error.problem)]);
    }
  }

  private updated(role: TlsRole): Update | undefined {
    const before = this.last;
    try {
      const identity = this.read(role, before);
      // The files have the same content as before.
      return isDeepStrictEqual(identity.context, before?.context) ? undefined : { kind: 'taken', identity };
    } catch (error) {
      if (!(error instanceof UnusableBundle)) throw error;
      return { kind: 'refused', problem: this.problemOf(error.problem) };
    }
  }

  private read(role: TlsRole, before?: TlsIdentity): TlsIdentity {
    const contents = this.contents(role);
    if (before) this.rejectOutdated(contents, before);
    const identity = role === 'server' ? this.serverIdentityOf(contents) : this.clientIdentityOf(contents);
    checkUsable(identity.context, contents);
    this.last = identity;
    return identity;
  }

  /** Rejects a certificate that no peer would accept in place of one that is valid. */
  private rejectOutdated({ form, chain }: BundleContents, { until }: TlsIdentity): void {
    const now = this.clock.millis();
    const [reason] = validityWarnings(chain, now);
    if (reason === undefined || until === undefined || Date.parse(until) < now) return;
    throw new UnusableBundle({
      member: memberOf('keystore', form),
      reason: `${reason}, while the one in use is valid`,
      action: 'Put a valid certificate in place.',
    });
  }

  private clientIdentityOf({ identity, chain, trusted }: BundleContents): TlsIdentity {
    if (!fits(this.options.ciphers, this.options.enabledProtocols, undefined))
      throw unfitting('options.enabled-protocols');
    const ca = trusted?.map((certificate) => certificate.toString());
    const now = this.clock.millis();
    return withoutUndefined({
      context: { ...identity, ...(ca && { ca }), ...this.limits },
      warnings: [
        ...validityWarnings(chain, now),
        ...(trusted ?? []).flatMap((each) => validityWarning('The trusted certificate', each, now)),
      ],
      until: chain[0]?.validTo,
    });
  }

  private get limits(): SecureContextOptions {
    const { ciphers, enabledProtocols: versions } = this.options;
    return {
      ...(ciphers.length > 0 && { ciphers: ciphers.join(':') }),
      minVersion: versions.length > 0 && !versions.includes('TLSv1.2') ? 'TLSv1.3' : 'TLSv1.2',
      maxVersion: versions.length > 0 && !versions.includes('TLSv1.3') ? 'TLSv1.2' : 'TLSv1.3',
    };
  }

  private serverIdentityOf({ form, identity, chain }: BundleContents): TlsIdentity {
    const { ciphers, enabledProtocols: versions } = this.options;
    if (!identity) {
      throw new UnusableBundle({
        member: memberOf('keystore', form),
        reason: 'a server needs a certificate, and the bundle contains none of its own',
        action: 'Set the certificate and its private key, or name another bundle.',
      });
    }
    if (!fits(ciphers, versions, chain[0]?.publicKey.asymmetricKeyType)) {
      throw unfitting('options.enabled-protocols and the key of the certificate');
    }
    const context: SecureContextOptions = {
      ...identity,
      ...this.limits,
      honorCipherOrder: true,
    };
    const warnings = validityWarnings(chain, this.clock.millis());
    return withoutUndefined({ context, warnings, until: chain[0]?.validTo });
  }
}

function unfitting(what: string): UnusableBundle {
  return new UnusableBundle({
    member: 'options.ciphers',
    reason: `none of its suites fits ${what}`,
    action: 'Add suites that fit, or leave options.ciphers empty.',
  });
}

function memberOf(store: 'keystore' | 'truststore', form: BundleContents['form']): string {
  return `${store}.${form === 'pem' ? 'certificate' : 'location'}`;
}

/** Checks what only the TLS library can, such as the length of a key. */
function checkUsable(context: SecureContextOptions, { form, identity }: BundleContents): void {
  try {
    createSecureContext(context);
  } catch (cause) {
    throw new UnusableBundle(
      {
        member: memberOf(identity ? 'keystore' : 'truststore', form),
        reason: `the TLS library rejects it (${codeOf(cause)})`,
        action: 'Use a certificate with an EC key on P-256, or an RSA key of 2048 bits or more, signed with SHA-256.',
      },
      { cause },
    );
  }
}

/** One warning per certificate that has expired or is not valid yet; the other side would reject it. */
function validityWarnings(chain: readonly X509Certificate[], nowMillis: number): readonly string[] {
  return chain.flatMap((certificate, index) =>
    validityWarning(index === 0 ? 'The certificate' : `Certificate ${index + 1} of the chain`, certificate, nowMillis),
  );
}

function validityWarning(which: string, certificate: X509Certificate, nowMillis: number): readonly string[] {
  const called = `${which} (${certificateName(certificate)})`;
  const [begin, end] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (end < nowMillis) return [`${called} has expired: it was valid until ${new Date(end).toISOString()}`];
  if (begin > nowMillis) return [`${called} is not valid before ${new Date(begin).toISOString()}`];
  return [];
}
