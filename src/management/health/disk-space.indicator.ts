import { statfs } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type Health, HealthComponents, type HealthIndicator } from '../../health/health-components.js';
import { DISK_COMPONENT, HealthSwitchProperties } from './health.properties.js';
import { DOWN, UP } from './status.js';

/** Checks that uploads, logs and the embedded database have free space; sizes are in bytes. */
@Injectable()
export class DiskSpaceIndicator implements HealthIndicator {
  readonly name = DISK_COMPONENT;
  /** Absolute, but not normalised. */
  private readonly path: string;
  private readonly threshold: number;

  constructor({ diskspacePath: path, diskspaceThreshold }: HealthSwitchProperties, components: HealthComponents) {
    this.path = isAbsolute(path) ? path : `${process.cwd()}/${path}`;
    this.threshold = diskspaceThreshold.bytes;
    components.add(this);
  }

  async check(): Promise<Health> {
    const { total, free, exists } = await this.space();
    const details = { total, free, threshold: this.threshold, path: this.path, exists };
    return { status: exists && free >= this.threshold ? UP : DOWN, details };
  }

  private async space(): Promise<{ readonly total: number; readonly free: number; readonly exists: boolean }> {
    try {
      const { bsize, blocks, bavail } = await statfs(this.path);
      return { total: blocks * bsize, free: bavail * bsize, exists: true };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      return { total: 0, free: 0, exists: false };
    }
  }
}
