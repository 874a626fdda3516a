import type { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { type BundleContents, UnusableBundle } from './bundle-reading.js';
import { SslBundleProperties } from './tls.properties.js';

/** The own certificate of a bundle with its authorities, or the problem that prevents reading them. */
export type BundleChain =
  | { readonly bundle: string; readonly chain: readonly X509Certificate[] }
  | { readonly bundle: string; readonly error: string };

/** A configured bundle and its certificates. */
interface Bundle {
  readonly name: string;
  readonly reloadOnUpdate: boolean;
  files(): Promise<readonly string[]>;
  read(): Promise<BundleContents>;
}

interface ReadBundle {
  /** State of the files at the last read, which every change of a file changes. */
  readonly state: string;
  readonly chain: readonly X509Certificate[];
}

/** Reads the certificates of all bundles that their users have in force. */
@Injectable()
export class SslChains {
  private readonly bundles: readonly Bundle[];
  private readonly known = new Map<Bundle, ReadBundle>();

  constructor({ pem, jks }: SslBundleProperties) {
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
        read: async () => (await import('./store-bundle.js')).readStoreBundle(members, 'server'),
      })),
    ];
  }

  /** True if no bundle is configured. */
  get isEmpty(): boolean {
    return this.bundles.length === 0;
  }

  /** The chains of all bundles that have a certificate of their own, or cannot be read. */
  async current(): Promise<readonly BundleChain[]> {
    return (await Promise.all(this.bundles.map((bundle) => this.chainOf(bundle)))).flat();
  }

  /** Calls back after a change of the files of a bundle that is reloaded; the returned function stops that. */
  async watch(onChange: () => void): Promise<() => void> {
    const reloaded = this.bundles.filter(({ reloadOnUpdate }) => reloadOnUpdate);
    const files = (await Promise.all(reloaded.map((bundle) => bundle.files()))).flat();
    const { watchFiles } = await import('./watched-files.js');
    return watchFiles(files, onChange);
  }

  private async chainOf(bundle: Bundle): Promise<readonly BundleChain[]> {
    try {
      const chain = await this.inForce(bundle);
      return chain.length > 0 ? [{ bundle: bundle.name, chain }] : [];
    } catch (error) {
      if (!(error instanceof UnusableBundle)) throw error;
      return [{ bundle: bundle.name, error: error.problem.reason }];
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
