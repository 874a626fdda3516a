import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { LEVELS } from '../../observability/logging/level.js';
import { LevelAudit, type LogGroup, LogLevels } from '../../observability/logging/log-levels.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { ManagementEndpoint } from '../dispatch/management-endpoint.decorator.js';
import { type Endpoint, NOT_FOUND, type Operation, type OperationRequest, type Result } from '../dispatch/operation.js';
import { isLoggerName, parseLevelRequest } from './level-request.js';

const CHANGED: Result = {};

/** `{management_base}/loggers`: reads log levels and changes them at runtime (management API, "loggers"). */
@ManagementEndpoint()
export class LoggersEndpoint implements Endpoint {
  readonly id = 'loggers';

  readonly operations: readonly Operation[] = [
    { method: 'GET', pathTemplate: '', run: () => ({ body: this.all() }) },
    { method: 'GET', pathTemplate: '{name}', run: ({ selector }) => this.one(selector) },
    { method: 'POST', pathTemplate: '{name}', produces: [], run: (request) => this.change(request) },
  ];

  constructor(
    private readonly loggers: Loggers,
    private readonly levels: LogLevels,
    private readonly audit: LevelAudit,
  ) {}

  private all(): object {
    return {
      levels: LEVELS,
      loggers: Object.fromEntries(this.loggers.all.map((logger) => [logger.name, levelsOf(logger)])),
      groups: Object.fromEntries(this.levels.allGroups.map(([name, group]) => [name, membersOf(group)])),
    };
  }

  private one(name: string): Result {
    const group = this.levels.group(name);
    if (group) return { body: membersOf(group) };
    const logger = this.loggers.find(name);
    return logger ? { body: levelsOf(logger) } : NOT_FOUND;
  }

  /** @throws ServiceError `VALIDATION_FAILED`, without any change */
  private async change({ selector: name, body, operator }: OperationRequest): Promise<Result> {
    const requested = parseLevelRequest(body);
    if (!('level' in requested)) throw new ServiceError('VALIDATION_FAILED', { errors: requested });
    const isKnown = this.levels.group(name) !== undefined || this.loggers.find(name) !== undefined;
    if (!isKnown && !isLoggerName(name)) throw invalidName('format');
    const by = operator?.name ?? 'anonymous';
    const changes = this.levels.change({ name, by, ...requested });
    if (!changes) throw invalidName('too_many');
    await this.audit.record(changes, by);
    return CHANGED;
  }
}

function invalidName(code: string): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'name', code }] });
}

function levelsOf({ configuredLevel, effectiveLevel }: Logger): object {
  return withoutUndefined({ configuredLevel, effectiveLevel });
}

function membersOf({ configuredLevel, members }: LogGroup): object {
  return withoutUndefined({ configuredLevel, members });
}
