import { relative } from 'node:path';
import leven from 'leven';
import type { Clock } from '../../kernel/clock/clock.js';
import type { Configuration } from '../../config/configuration.js';
import { type KeyState, statesOf } from '../../config/bind/key-state.js';
import { ConfigurationFailure, from, type Problem, problem } from '../../config/problem.js';
import { existingPath } from '../../kernel/files/secret-file.js';
import { containsPrivateKey, isSecretName } from '../../kernel/redaction/secrets.js';
import type { BundleProblem } from './bundle-reading.js';
import { type ClientTls, openClientTls, type UpdateLog } from './client-tls.js';
import { pemFiles, readPemBundle } from './pem-bundle.js';
import { SslBundle } from './ssl-bundle.js';
import { SslBundleProperties } from './tls.properties.js';
import { readStoreBundle, storeFiles } from './store-bundle.js';

/** A key that names a bundle, e.g. `server.ssl.bundle`. */
export interface NamedBy {
  readonly key: string;
  readonly name: string;
}

/** The certificate bundles of the configuration, by name. */
export class SslBundles {
  private readonly properties: SslBundleProperties;

  constructor(
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {
    this.properties = configuration.get(SslBundleProperties);
  }

  /** @throws ConfigurationFailure if the bundle does not exist */
  named(by: NamedBy): SslBundle {
    const { pem, jks } = this.properties;
    const [inPem, inStores] = [pem.get(by.name), jks.get(by.name)];
    if (inPem && inStores) throw new ConfigurationFailure([this.twice(by)]);
    const problemOf = (kind: 'pem' | 'jks') => (problem: BundleProblem) => this.unusable(by, kind, problem);
    if (inPem) {
      return new SslBundle(inPem, pemFiles(inPem), () => readPemBundle(inPem), problemOf('pem'), this.clock);
    }
    if (inStores) {
      return new SslBundle(
        inStores,
        storeFiles(inStores),
        (role) => readStoreBundle(inStores, role),
        problemOf('jks'),
        this.clock,
      );
    }
    throw new ConfigurationFailure([this.unknown(by)]);
  }

  /**
   * TLS of a client whose key names a bundle; `onChange` is called after changed files are in use.
   * @throws ConfigurationFailure if the bundle does not exist or cannot be used
   */
  openClient(by: NamedBy, log: UpdateLog, onChange?: () => void): ClientTls {
    return openClientTls(this.named(by), { bundle: by.name, usedBy: by.key }, log, onChange);
  }

  private unknown({ key, name }: NamedBy): Problem {
    const names = [...this.properties.pem.keys(), ...this.properties.jks.keys()].sort();
    const near = names.find((known) => leven(known, name) <= Math.max(2, name.length / 3));
    const action =
      names.length === 0
        ? `Define it under app.ssl.bundle.pem.${name} or app.ssl.bundle.jks.${name}, or correct ${key}.`
        : `${near === undefined ? '' : `Did you mean "${near}"? `}Correct ${key}, or define the bundle under app.ssl.bundle.pem.${name}.`;
    return problem(`Unknown certificate bundle "${name}"`, action, {
      Property: key,
      Value: `"${name}"`,
      Origin: this.configuration.originOf(key),
      Reason: names.length === 0 ? 'no bundle is defined' : `the bundles are ${names.join(', ')}`,
    });
  }

  private twice({ key, name }: NamedBy): Problem {
    return problem(
      `There are two certificate bundles "${name}"`,
      `Give one of app.ssl.bundle.pem.${name} and app.ssl.bundle.jks.${name} another name.`,
      { Property: key, Value: `"${name}"`, Origin: this.configuration.originOf(key) },
    );
  }

  private unusable(
    { key, name }: NamedBy,
    kind: 'pem' | 'jks',
    { member, file, reason, action }: BundleProblem,
  ): Problem {
    const state = this.memberOf(kind, name, member);
    const property = state?.name ?? `app.ssl.bundle.${kind}.${name}.${member}`;
    const [assignment] = state?.assignments ?? [];
    return problem(`The certificate bundle "${name}" of ${key} cannot be used`, `${property}: ${action}`, {
      Property: property,
      File: file === undefined ? undefined : shownFile(file, property),
      Origin: assignment ? from(assignment.origin) : 'not set',
      Reason: reason,
    });
  }

  private memberOf(kind: 'pem' | 'jks', name: string, member: string): KeyState | undefined {
    const { environment, registry } = this.configuration;
    const holder = registry.definitions.find((definition) => definition.name === `app.ssl.bundle.${kind}.<name>`);
    if (!holder) return undefined;
    const names = [`app.ssl.bundle.${kind}.${name}.${member}`, `app.ssl.bundle.${kind}[${name}].${member}`];
    return statesOf(environment, holder, registry).find((state) => names.includes(state.name));
  }
}

/** Returns the path for a report; a value that names no file may be the secret itself. */
function shownFile(file: string, property: string): string | undefined {
  return isSecretName(property) || containsPrivateKey(relative('', file)) ? existingPath(file) : file;
}
