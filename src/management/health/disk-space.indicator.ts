import { statfs } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Health, HealthIndicator } from '../../health/indicator.js';
import { DISK_COMPONENT } from './health.properties.js';
import { DOWN, UP } from './status.js';

/** Whether uploads, logs and the embedded database have room; sizes are in bytes. */
export class DiskSpaceIndicator implements HealthIndicator {
  readonly name = DISK_COMPONENT;
  /** Absolute, as it was written. */
  private readonly path: string;

  constructor(
    path: string,
    private readonly threshold: number,
  ) {
    this.path = isAbsolute(path) ? path : `${process.cwd()}/${path}`;
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
