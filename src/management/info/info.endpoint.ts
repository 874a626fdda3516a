import { Injectable } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import type { Endpoint, Operation, Result } from '../dispatch/operation.js';
import { InfoContributorsProperties } from './info-contributors.properties.js';
import type { Packaged } from './build-info.js';

/** `GET {management_base}/info`: one member for each contributor that is on (management API, "info"). */
@Injectable()
export class InfoEndpoint implements Endpoint {
  readonly id = 'info';

  readonly operations: readonly Operation[] = [{ method: 'GET', below: '', run: () => this.read() }];

  private packaged: Promise<Packaged> | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly contributors: InfoContributorsProperties,
  ) {}

  private async read(): Promise<Result> {
    const {
      defaultsEnabled,
      envEnabled,
      buildEnabled,
      gitEnabled,
      gitMode,
      processEnabled,
      osEnabled,
      runtimeEnabled,
    } = this.contributors;
    const facts = await import('./contributors.js');
    const { build, git } = await this.readPackaged();
    return {
      body: {
        ...(envEnabled && (await this.freeFacts())),
        ...((buildEnabled ?? defaultsEnabled) && build && { build }),
        ...((gitEnabled ?? defaultsEnabled) && git && { git: facts.gitFacts(git, gitMode) }),
        ...(processEnabled && { process: facts.processFacts() }),
        ...(osEnabled && { os: facts.osFacts() }),
        ...(runtimeEnabled && { runtime: facts.runtimeFacts() }),
      },
    };
  }

  private async freeFacts(): Promise<object> {
    const [{ freeFacts }, { Inspection }] = await Promise.all([
      import('./contributors.js'),
      import('../../config/show/inspection.js'),
    ]);
    const { environment, registry } = this.configuration;
    return freeFacts(this.configuration, new Inspection(environment, registry));
  }

  private async readPackaged(): Promise<Packaged> {
    const { readPackaged } = await import('./build-info.js');
    this.packaged ??= readPackaged();
    return this.packaged;
  }
}
