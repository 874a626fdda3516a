import { hash } from 'node:crypto';

/**
 * The key of one entry of a use such as `rate-limit`. Names contain addresses and login ids, which the store must not
 * show; a hash also has the same length for every name.
 */
export function storeKey(use: string, name: string): string {
  return `${prefixOf(use)}${hash('sha256', name, 'base64url')}`;
}

/** Pattern of all keys of a use, for a scan. */
export function storeKeysOf(use: string): string {
  return `${prefixOf(use)}*`;
}

function prefixOf(use: string): string {
  return `login:${use}:`;
}
