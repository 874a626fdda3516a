import { statfs } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Availability } from '../../observability/health/availability.js';
import { type Health, HealthComponents, type HealthIndicator } from '../../observability/health/health-components.js';
import { DISK_COMPONENT, HealthSwitchProperties, PING_COMPONENT, ProbesProperties } from './health.properties.js';
import { DOWN, OUT_OF_SERVICE, UP } from './status.js';

/** The health of the process itself: `ping`, and the states that the probes report (management API, "Probes"). */
@Injectable()
export class ProcessIndicators {
  constructor(components: HealthComponents, availability: Availability, probes: ProbesProperties) {
    components.add({ name: PING_COMPONENT, check: () => ({ status: UP }) });
    if (!probes.enabled) return;
    components.add(
      { name: 'livenessState', check: () => ({ status: availability.isLive ? UP : DOWN }) },
      { name: 'readinessState', check: () => ({ status: availability.isReady ? UP : OUT_OF_SERVICE }) },
    );
  }
}

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
