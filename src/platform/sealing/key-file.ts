import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConversionProblem } from '../../config/problem.js';
import { makeFolderNow } from '../../kernel/files/make-folder.js';
import type { Random } from '../../kernel/random/random.js';
import { KEY_BYTES } from './aes-gcm.js';
import { sealKey } from './seal-key.js';

/** Reads the key in a file; undefined if the file does not exist. */
export function readKeyFile(file: string): Uint8Array | ConversionProblem | undefined {
  try {
    return sealKey.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Reads the key in a file, which is created if it does not exist, readable by its owner only. Of concurrent processes, one
 * creates the file and the others read it; no process ever sees a part of it.
 */
export function readOrCreateKeyFile(file: string, random: Random): Uint8Array | ConversionProblem {
  const key = readKeyFile(file);
  if (key) return key;
  createKeyFile(file, random);
  return readKeyFile(file) ?? new ConversionProblem('it was removed while the service started');
}

function createKeyFile(file: string, random: Random): void {
  makeFolderNow(dirname(file), 0o700);
  const draft = `${file}.${random.bytes(8).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${random.bytes(KEY_BYTES).toString('base64')}\n`);
    // The database soon holds values sealed under it: the key must survive a power cut as well as they do.
    fsyncSync(descriptor);
    // Unlike a rename, a link never replaces the file another process has put there.
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(draft);
  }
}

/** Makes the new directory entry durable; Windows cannot sync directories. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
