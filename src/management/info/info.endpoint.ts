import { Configuration } from '../../config/configuration.js';
import { ManagementEndpoint } from '../dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, Result } from '../dispatch/operation.js';
import { InfoContributorsProperties } from './info.properties.js';
import { readBuildInfo } from './build-info.js';

/** `GET {management_base}/info`: one member for each enabled contributor (management API, "info"). */
@ManagementEndpoint()
export class InfoEndpoint implements Endpoint {
  readonly id = 'info';

  readonly operations: readonly Operation[] = [{ method: 'GET', pathTemplate: '', run: () => this.read() }];

  private readonly buildInfo = readBuildInfo();

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
    const { build, git } = this.buildInfo;
    return {
      body: {
        ...(envEnabled && (await this.infoKeys())),
        ...((buildEnabled ?? defaultsEnabled) && build && { build }),
        ...((gitEnabled ?? defaultsEnabled) && git && { git: facts.gitInfo(git, gitMode) }),
        ...(processEnabled && { process: facts.processInfo() }),
        ...(osEnabled && { os: facts.osInfo() }),
        ...(runtimeEnabled && { runtime: facts.runtimeInfo() }),
      },
    };
  }

  private async infoKeys(): Promise<object> {
    const [{ infoKeys }, { Inspection }] = await Promise.all([
      import('./contributors.js'),
      import('../../config/show/inspection.js'),
    ]);
    const { environment, registry } = this.configuration;
    return infoKeys(this.configuration, new Inspection(environment, registry));
  }
}
