import { stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock/clock.js';
import type { Logger } from '../../../../observability/logging/logger.js';
import { Loggers } from '../../../../observability/logging/loggers.js';
import { type MetadataContents, type AuthenticatorModel, UnusableMetadata } from './authenticator-model.js';
import { PasskeyProperties } from '../passkey.properties.js';

/** Metadata of authenticators, read again when their file changes; unusable new ones leave those before in use. */
@Injectable()
export class AuthenticatorMetadata {
  private readonly log: Logger;
  private metadata: MetadataContents | undefined;
  /** The version of the file that was read, or could not be used. */
  private version: string | undefined;
  private isReportedOutdated = false;

  constructor(
    private readonly passkeys: PasskeyProperties,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /**
   * What the metadata state about the model with this AAGUID or key identifier; undefined if nothing, or without metadata.
   * @throws UnusableMetadata if the file could never be read
   */
  async statementOf(id: string): Promise<AuthenticatorModel | undefined> {
    const path = this.passkeys.metadataPath;
    if (path === undefined) return undefined;
    const { models, outdatedFrom } = await this.current(path);
    this.reportIfOutdated(outdatedFrom);
    return models.get(id.toLowerCase());
  }

  private async current(path: string): Promise<MetadataContents> {
    const version = await versionOf(path);
    if (this.metadata && version === this.version) return this.metadata;
    try {
      // Loaded only where a file of metadata is configured.
      const { readMetadataFile } = await import('./metadata-file.js');
      const paths = { metadata: path, root: this.passkeys.metadataRootPath };
      this.metadata = await readMetadataFile(paths, this.clock.millis());
      this.isReportedOutdated = false;
    } catch (error) {
      if (!(error instanceof UnusableMetadata)) throw error;
      this.log.warn('The metadata of authenticators cannot be used', { file: path, reason: error.message });
      if (!this.metadata) throw error;
    }
    this.version = version;
    return this.metadata;
  }

  private reportIfOutdated(outdatedFrom: number | undefined): void {
    if (outdatedFrom === undefined || this.clock.millis() < outdatedFrom || this.isReportedOutdated) return;
    this.isReportedOutdated = true;
    this.log.warn('The metadata of authenticators are outdated', { since: new Date(outdatedFrom).toISOString() });
  }
}

/** Differs after each replacement of the file. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return 'missing';
  }
}
