import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { OutboundHttp } from '../../../platform/outbound/outbound-http.service.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { MetadataReading } from './idp-metadata.js';
import { IdpMetadataStore } from './idp-metadata.store.js';
import type { IdpProperties } from '../saml.properties.js';
import type { IdpEntry } from './idps.service.js';
import { MetadataClient } from './metadata.client.js';
import { MetadataFailure, metadataSource, readMetadataFile } from './metadata-source.js';

/** Reads the metadata of identity providers from the file or URL in the key `metadata`. */
@Injectable()
export class IdpMetadata {
  private readonly client: MetadataClient;

  constructor(
    http: OutboundHttp,
    private readonly store: IdpMetadataStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {
    this.client = new MetadataClient(http);
  }

  /**
   * Reads the metadata; after a failure the previous metadata stays in use.
   * @throws MetadataFailure
   */
  async refresh({ properties, cache }: IdpEntry, signal?: AbortSignal): Promise<void> {
    const source = metadataSource(properties.metadata ?? '');
    try {
      const document =
        source.kind === 'file'
          ? await readMetadataFile(source.file)
          : (await this.client.fetch(source.url, signal)).document;
      const reading = await this.readingOf(document, properties);
      cache.update(reading, this.clock.millis());
      if (source.kind === 'url') await this.save(cache.name, source.url, document);
    } catch (error) {
      cache.markFailed(error instanceof MetadataFailure ? error.message : 'the metadata cannot be read');
      throw error;
    }
  }

  /** Starts with the metadata that a process stored last, until newer metadata is read. */
  async restore({ properties, cache }: IdpEntry): Promise<void> {
    const source = metadataSource(properties.metadata ?? '');
    if (source.kind === 'file') return;
    const stored = await this.ifReachable(() => this.work.single((tx) => this.store.find(tx, cache.name, source.url)));
    if (!stored || cache.current) return;
    try {
      cache.update(await this.readingOf(stored.document, properties), stored.fetchedAt * 1000);
    } catch (error) {
      // The stored metadata was valid for other keys or at an earlier time.
      if (!(error instanceof MetadataFailure)) throw error;
    }
  }

  private async readingOf(document: string, properties: IdpProperties): Promise<MetadataReading> {
    // Loaded only if there is metadata, since the module loads an XML library.
    const { readMetadata } = await import('./idp-metadata.js');
    const reading = readMetadata(document, properties);
    if ('problem' in reading) throw new MetadataFailure(reading.problem);
    const { validUntil } = reading.trust;
    if (validUntil === undefined || this.clock.millis() < validUntil) return reading;
    throw new MetadataFailure(`the metadata was valid until ${new Date(validUntil).toISOString()}`);
  }

  private async save(name: string, url: string, document: string): Promise<void> {
    const stored = { document, fetchedAt: this.clock.seconds() };
    await this.ifReachable(() => this.work.run((tx) => this.store.save(tx, name, url, stored)));
  }

  /** The stored copy only helps a start without the URL, so an outage of the database, which is logged elsewhere, is ignored. */
  private async ifReachable<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }
}
