import { readFileSync } from 'node:fs';

/** The content of the file that tools/build.mjs writes beside the compiled code. */
export interface BuildInfo {
  readonly build?: {
    readonly artifact: string;
    readonly name: string;
    readonly version: string;
    readonly time: string;
  };
  /** Absent if the build had no Git working copy. */
  readonly git?: {
    /** Absent if no branch was checked out. */
    readonly branch?: string;
    readonly commit: {
      readonly id: { readonly abbrev: string; readonly full: string };
      readonly time: string;
      readonly message: { readonly short: string };
    };
    /** True if the working copy had uncommitted changes. */
    readonly dirty: boolean;
  };
}

/** Exists only beside compiled code, not beside the sources. */
const FILE = new URL('../../build-info.json', import.meta.url);

/** Empty if the file is missing or damaged: `info` must not fail because of it. */
export function readBuildInfo(file = FILE): BuildInfo {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as BuildInfo;
  } catch {
    return {};
  }
}
