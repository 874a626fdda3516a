import { Injectable } from '@nestjs/common';
import type { Routes } from '../../server/listener.js';
import { isExposed } from '../exposure.js';
import { ExposureProperties } from '../exposure.properties.js';
import { JSON_PLAIN } from '../media-types.js';
import { HealthAnswers } from './health-answers.service.js';
import { HealthGroups } from './health-groups.service.js';

/** The paths of health groups outside the management base, such as `/livez`; there, nobody says who they are. */
@Injectable()
export class HealthPaths {
  constructor(
    private readonly exposure: ExposureProperties,
    private readonly groups: HealthGroups,
    private readonly answers: HealthAnswers,
  ) {}

  /** Both are the same where the management endpoints have no listener of their own. */
  mount(main: Routes, management: Routes): void {
    if (!isExposed('health', this.exposure.include, this.exposure.exclude)) return;
    for (const group of this.groups.all) {
      const [listener, path = ''] = group.additionalPath?.split(':') ?? [];
      if (listener === undefined) continue;
      const routes = listener === 'server' ? main : management;
      for (const each of [path, `${path}/`]) {
        routes.add('GET', each, async () => {
          const { status = 200, body } = await this.answers.group(group, { caller: undefined, mediaType: JSON_PLAIN });
          return { status, body };
        });
      }
    }
  }
}
