import type { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { type Health, HealthComponents, type HealthIndicator } from '../health/health-components.js';
import { type BundleContents, UnusableBundle } from './bundle-reading.js';
import { SSL_COMPONENT, SslBundleProperties } from './tls.properties.js';

/** A configured bundle and its certificates. */
interface Bundle {
  readonly name: string;
  readonly reloadOnUpdate: boolean;
  files(): Promise<readonly string[]>;
  read(): Promise<BundleContents>;
}

interface Chain {
  readonly isValid: boolean;
  readonly shown: object;
}

interface ReadBundle {
  /** Time of the last change of its files. */
  readonly state: string;
  readonly chain: readonly X509Certificate[];
}

/** Reports the validity of the certificates of all bundles (management API, "Indicators of the login service"). */
@Injectable()
export class SslIndicator implements HealthIndicator {
  readonly name = SSL_COMPONENT;
  private readonly bundles: readonly Bundle[];
  private readonly known = new Map<Bundle, ReadBundle>();

  constructor(
    { pem, jks }: SslBundleProperties,
    private readonly clock: Clock,
    components: HealthComponents,
  ) {
    this.bundles = [
      ...Array.from(pem, ([name, members]): Bundle => ({
        name,
        reloadOnUpdate: members.reloadOnUpdate,
        files: async () => (await import('./pem-bundle.js')).pemFiles(members),
        read: async () => (await import('./pem-bundle.js')).readPemBundle(members),
      })),
      ...Array.from(jks, ([name, members]): Bundle => ({
        name,
        reloadOnUpdate: members.reloadOnUpdate,
        files: async () => (await import('./store-bundle.js')).storeFiles(members),
        read: async () => (await import('./store-bundle.js')).readStoreBundle(members),
      })),
    ];
    if (this.bundles.length > 0) components.add(this);
  }

  async check(): Promise<Health> {
    const chains = (await Promise.all(this.bundles.map((bundle) => this.chainOf(bundle)))).flat();
    const validChains = chains.filter(({ isValid }) => isValid).map(({ shown }) => shown);
    const invalidChains = chains.filter(({ isValid }) => !isValid).map(({ shown }) => shown);
    return {
      status: invalidChains.length === 0 ? 'UP' : 'OUT_OF_SERVICE',
      details: { validChains, invalidChains },
    };
  }

  /** Empty for a bundle without a certificate of its own. */
  private async chainOf(bundle: Bundle): Promise<readonly Chain[]> {
    try {
      const now = this.clock.millis();
      const certificates = (await this.inForce(bundle)).map((certificate) => shownOf(certificate, now));
      const isValid = certificates.every(({ validity }) => validity === 'VALID');
      return certificates.length > 0 ? [{ isValid, shown: { bundle: bundle.name, certificates } }] : [];
    } catch (error) {
      if (!(error instanceof UnusableBundle)) throw error;
      return [{ isValid: false, shown: { bundle: bundle.name, error: error.fault.reason } }];
    }
  }

  /**
   * Reads like the users of the bundle: once, or again after a change; if the new files cannot be used, the old
   * certificates stay.
   */
  private async inForce(bundle: Bundle): Promise<readonly X509Certificate[]> {
    const known = this.known.get(bundle);
    if (known && !bundle.reloadOnUpdate) return known.chain;
    const state = await stateOf(await bundle.files());
    if (known?.state === state) return known.chain;
    try {
      const { chain } = await bundle.read();
      this.known.set(bundle, { state, chain });
      return chain;
    } catch (error) {
      if (known && error instanceof UnusableBundle) return known.chain;
      throw error;
    }
  }
}

async function stateOf(files: readonly string[]): Promise<string> {
  const states = files.map(async (file) => {
    const found = await stat(file).catch(() => undefined);
    return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
  });
  return (await Promise.all(states)).join();
}

function shownOf({ subject, issuer, validFrom, validTo }: X509Certificate, now: number) {
  const [begin, end] = [Date.parse(validFrom), Date.parse(validTo)];
  return {
    subject: oneLine(subject),
    issuer: oneLine(issuer),
    validFrom: new Date(begin).toISOString(),
    validTo: new Date(end).toISOString(),
    validity: end < now ? 'EXPIRED' : begin > now ? 'NOT_YET_VALID' : 'VALID',
  };
}

function oneLine(name: string): string {
  return name.replaceAll('\n', ', ');
}
