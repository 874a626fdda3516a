import { Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import type { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';

export interface TerminusServices {
  readonly health: Pick<HealthCheckService, 'check'>;
  readonly indicators: HealthIndicatorService;
}

/** Loads `TerminusModule` at the first check: startup does not wait for it. */
@Injectable()
export class Terminus {
  private loading: Promise<TerminusServices> | undefined;

  constructor(private readonly modules: LazyModuleLoader) {}

  services(): Promise<TerminusServices> {
    return (this.loading ??= this.load().catch((error: unknown) => {
      // The next check tries again.
      this.loading = undefined;
      throw error;
    }));
  }

  private async load(): Promise<TerminusServices> {
    const { TerminusModule, HealthCheckService, HealthIndicatorService } = await import('@nestjs/terminus');
    // A failed check is no event of the log: each probe would repeat it.
    const module = await this.modules.load(() => TerminusModule.forRoot({ logger: false }), { logger: false });
    return { health: module.get(HealthCheckService), indicators: module.get(HealthIndicatorService) };
  }
}
