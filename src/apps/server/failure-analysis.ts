import type { Configuration } from '../../config/configuration.js';
import { ConfigurationFailure, type Problem, problem } from '../../config/problem.js';
import { DatasourceProperties } from '../../platform/persistence/datasource.properties.js';
import { DatabaseUnavailable } from '../../platform/persistence/engines/database-unavailable.js';
import { SchemaFailure } from '../../platform/persistence/migrations/schema-failure.js';
import { TestQueryFailure } from '../../platform/persistence/pool/test-query-failure.js';
import { sanitizeUrls } from '../../kernel/redaction/secrets.js';
import { ListenFailure } from '../../platform/http/listener.js';
import { uploadFolderProblem, UploadFolderFailure } from '../../platform/http/upload/upload-folder.js';

/** Turns an error of startup into a report for the operator, if its cause is known. */
export function analyzeFailure(error: unknown, configuration: Configuration): unknown {
  if (error instanceof ListenFailure) return new ConfigurationFailure([listenerProblem(error, configuration)]);
  if (error instanceof UploadFolderFailure) {
    const origin = configuration.originOf('app.servlet.multipart.location');
    return new ConfigurationFailure([uploadFolderProblem(error.code ?? '', { value: `"${error.path}"`, origin })]);
  }
  if (error instanceof SchemaFailure || error instanceof TestQueryFailure)
    return new ConfigurationFailure([schemaProblem(error, configuration)]);
  if (!(error instanceof DatabaseUnavailable)) return error;
  const { facts, ...rest } = error.problem;
  return new ConfigurationFailure([
    { ...rest, facts: [...facts, ['Origin', configuration.originOf('app.datasource.url')]] },
  ]);
}

/** Adds the database, and the origin of the key at fault. */
function schemaProblem(
  { problem: { facts, ...rest } }: SchemaFailure | TestQueryFailure,
  configuration: Configuration,
): Problem {
  const url = sanitizeUrls(configuration.get(DatasourceProperties).url);
  const [, property] = facts.find(([label]) => label === 'Property') ?? [];
  const origin = property === undefined ? [] : [['Origin', configuration.originOf(property)] as const];
  return { ...rest, facts: [...facts, ...origin, ['Database', url]] };
}

/** Reports a listener that cannot open, with an action for each cause. */
function listenerProblem({ binding, code, message }: ListenFailure, configuration: Configuration): Problem {
  const { port, address = '', key, addressKey } = binding;
  const ofPort = { Property: key, Value: `"${port}"`, Origin: configuration.originOf(key), Reason: code };
  switch (code) {
    case 'EADDRINUSE':
      return problem(
        `Port ${port} is already in use`,
        `Stop the process that listens on port ${port}, or set ${key} to another port.`,
        ofPort,
      );
    case 'EACCES':
      return problem(`This user cannot open port ${port}`, `Set ${key} to a port above 1023.`, ofPort);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return problem(
        `The address ${address} does not belong to this machine`,
        `Correct ${addressKey}, or leave it unset to listen on every address.`,
        {
          Property: addressKey,
          Value: `"${address}"`,
          Origin: configuration.originOf(addressKey),
          Reason: code,
        },
      );
    default:
      return problem(message, `Check ${key} and ${addressKey}.`, ofPort);
  }
}
