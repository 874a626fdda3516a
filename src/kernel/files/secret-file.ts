import { existsSync, statSync } from 'node:fs';
import type { FileAccess } from './whole-file.js';

/** User and groups of a process. */
interface ProcessIdentity {
  readonly uid: number;
  readonly gids: readonly number[];
}

/**
 * Returns why a file is not private to this process and root; undefined if it is. Group access is read-only and only
 * for a group of this process, as Kubernetes mounts secrets with `fsGroup` (mode 0440, owner root).
 */
function exposureReason({ mode, uid, gid }: FileAccess, self: ProcessIdentity): string | undefined {
  if ((mode & 0o007) !== 0) return 'every user has access';
  if ((mode & 0o030) !== 0) return 'its group may do more than read it';
  if ((mode & 0o040) !== 0 && !self.gids.includes(gid))
    return `group ${gid} may read it, and is not one of this process`;
  if (uid !== 0 && uid !== self.uid) return `user ${uid} owns it, who is neither root nor the user of this process`;
  return undefined;
}

/**
 * Facts for a report on a file that is not private; undefined if it is private or cannot be checked, which the reader of
 * the file reports.
 */
export function exposureOfFile(path: string): { readonly Mode: string; readonly Reason: string } | undefined {
  try {
    return exposureFacts(statSync(path));
  } catch {
    return undefined;
  }
}

/**
 * The path of a file from a key that may hold a secret, for reports; undefined if there is no such file: the value may be
 * the secret itself.
 */
export function existingPath(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

/** Facts for a report on a file that is not private to a process and root; undefined if it is. */
export function exposureFacts(
  access: FileAccess,
  self = ownIdentity(),
): { readonly Mode: string; readonly Reason: string } | undefined {
  const reason = exposureReason(access, self);
  return reason === undefined ? undefined : { Mode: (access.mode & 0o777).toString(8), Reason: reason };
}

/** The action against each of these reasons. */
export const MAKE_PRIVATE =
  "Let root or the service's user own it, with mode 600 or 400, or 440 with a group of the service's process.";

/** Returns 0 for the user and the group on a system without them, such as Windows. */
function ownIdentity(): ProcessIdentity {
  const gid = process.getegid?.() ?? 0;
  return { uid: process.geteuid?.() ?? 0, gids: [gid, ...(process.getgroups?.() ?? [])] };
}
