import type { Configuration } from './config/configuration.js';
import { allStates } from './config/key-state.js';
import { originText } from './config/origin.js';
import { ConfigurationFailure, from, type Problem, problem } from './config/problem.js';
import { one } from './config/profiles.js';
import { HealthEndpointProperties } from './management/health/health-endpoint.properties.js';
import { ManagementWebProperties } from './management/web.properties.js';
import { DatabaseUnavailable } from './persistence/database-unavailable.js';
import { ListenFailure } from './server/listener.js';
import { UploadFolderFailure } from './server/upload/upload-folder.js';

/** What stopped a start, as a report for the operator where it is known what to do about it. */
export function startProblem(error: unknown, configuration: Configuration): unknown {
  if (error instanceof ListenFailure) return new ConfigurationFailure([listenProblem(error, configuration)]);
  if (error instanceof UploadFolderFailure) return new ConfigurationFailure([uploadProblem(error, configuration)]);
  if (isRouteTaken(error)) return new ConfigurationFailure([routeProblem(error, configuration)]);
  if (!(error instanceof DatabaseUnavailable)) return error;
  const { facts, ...rest } = error.problem;
  return new ConfigurationFailure([
    { ...rest, facts: [...facts, ['Origin', originOf(configuration, 'app.datasource.url')]] },
  ]);
}

function originOf({ environment, registry }: Configuration, key: string): string {
  const [assignment] = one(environment, registry, key).assignments;
  return assignment ? originText(assignment.origin) : 'default value';
}

/** What an operator can do about a listener that does not open. */
function listenProblem({ binding, code, message }: ListenFailure, configuration: Configuration): Problem {
  const { port, address = '', key, addressKey } = binding;
  const ofPort = { Property: key, Value: `"${port}"`, Origin: originOf(configuration, key), Reason: code };
  switch (code) {
    case 'EADDRINUSE':
      return problem(
        `Port ${port} is taken`,
        `Stop the process that listens on port ${port}, or set ${key} to another port.`,
        ofPort,
      );
    case 'EACCES':
      return problem(`Port ${port} may not be opened by this user`, `Set ${key} to a port above 1023.`, ofPort);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return problem(
        `The address ${address} is none of this machine`,
        `Correct ${addressKey}, or leave it unset to listen on every address.`,
        {
          Property: addressKey,
          Value: `"${address}"`,
          Origin: originOf(configuration, addressKey),
          Reason: code,
        },
      );
    default:
      return problem(message, `Check ${key} and ${addressKey}.`, ofPort);
  }
}

/** Only the paths of management endpoints and health groups are configured, so that one of them is in the way. */
function isRouteTaken(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_DUPLICATED_ROUTE';
}

function routeProblem({ message }: Error, configuration: Configuration): Problem {
  const [, path = ''] = /'(\/[^']*)'$/.exec(message) ?? [];
  const { group } = configuration.get(HealthEndpointProperties);
  const [name, settings] =
    Array.from(group).find(([, { additionalPath }]) => additionalPath?.endsWith(`:${path}`)) ?? [];
  if (name !== undefined) {
    const groupKey = `management.endpoint.health.group.${name}.additional-path`;
    const { environment, registry } = configuration;
    // What stands below a map is known by its assignments alone.
    const state = allStates(environment, registry).find((each) => each.name === groupKey);
    return problem(
      `The additional path ${path} of the health group "${name}" is that of another route`,
      `Set ${groupKey} to a path of its own.`,
      { Property: groupKey, Value: `"${settings?.additionalPath ?? ''}"`, Origin: from(state?.assignments[0]?.origin) },
    );
  }
  const key = 'management.endpoints.web.base-path';
  return problem(
    'A management endpoint has the path of another route',
    `Set ${key} to a path of its own, or management.server.port to a port of its own.`,
    {
      Property: key,
      Value: `"${configuration.get(ManagementWebProperties).basePath}"`,
      Origin: originOf(configuration, key),
      Reason: message,
    },
  );
}

const FOLDER_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'this is no folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left there',
};

/** What an operator can do about a folder that takes no uploads. */
function uploadProblem({ path, code = '' }: UploadFolderFailure, configuration: Configuration): Problem {
  const key = 'app.servlet.multipart.location';
  return problem(
    'Uploaded files cannot be stored',
    `Make the folder and let the user of the service write to it, or set ${key} to one like that.`,
    {
      Property: key,
      Value: `"${path}"`,
      Origin: originOf(configuration, key),
      Reason: [FOLDER_REASONS[code], code].filter(Boolean).join(': '),
    },
  );
}
