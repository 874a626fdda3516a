import { join } from 'node:path';
import { ConfigurationFailure, ConversionProblem, problem } from '../../config/problem.js';
import type { Random } from '../../kernel/random/random.js';
import { readKeyFile, readOrCreateKeyFile } from './key-file.js';
import { Sealer } from './sealer.js';

/** Id of the key in the file. */
const FILE_KEY_ID = 'file';
const FILE_NAME = 'seal.key';

/** The keys of `app.security.seal`. */
interface ConfiguredKeys {
  readonly byId: ReadonlyMap<string, Uint8Array>;
  readonly activeId: string | undefined;
}

interface SealerFolder {
  readonly folder: string;
  readonly isProduction: boolean;
  readonly createsKey?: boolean;
}

/**
 * Opens the sealer with the configured keys or, outside `prod`, with the key in the file of the folder.
 * @throws ConfigurationFailure if there is no usable key
 */
export function openSealer(
  { byId, activeId }: ConfiguredKeys,
  { folder, isProduction, createsKey = true }: SealerFolder,
  random: Random,
): Sealer {
  const file = join(folder, FILE_NAME);
  if (activeId === undefined && isProduction) throw new ConfigurationFailure([NO_KEY]);
  if (activeId === undefined) {
    const key = usable(file, () => (createsKey ? readOrCreateKeyFile(file, random) : readExisting(file)));
    return new Sealer(FILE_KEY_ID, new Map([[FILE_KEY_ID, key]]), random);
  }
  // Values that were sealed before the first key was configured can still be opened and resealed.
  const before = isProduction || byId.has(FILE_KEY_ID) ? undefined : usable(file, () => readKeyFile(file));
  return new Sealer(activeId, before ? new Map([...byId, [FILE_KEY_ID, before]]) : byId, random);
}

const NO_KEY = problem(
  'No key is configured to seal secrets',
  'Set app.security.seal.keys.<id> to 32 random bytes in Base64, such as "openssl rand -base64 32" prints.',
  { Property: 'app.security.seal.keys', Reason: 'profile prod takes only configured keys' },
);

function readExisting(file: string): Uint8Array | ConversionProblem {
  return readKeyFile(file) ?? new ConversionProblem('it does not exist');
}

function usable<T extends Uint8Array | undefined>(file: string, read: () => T | ConversionProblem): T {
  let reason: string;
  try {
    const key = read();
    if (!(key instanceof ConversionProblem)) return key;
    ({ reason } = key);
  } catch (error) {
    reason = (error as NodeJS.ErrnoException).code ?? String(error);
  }
  const action = `Put the key back into ${file}, let this user write there, or set app.security.seal.keys.`;
  throw new ConfigurationFailure([problem(`The seal key in ${file} cannot be used`, action, { Reason: reason })]);
}
