import { readFile } from 'node:fs/promises';

/** What tools/build.mjs writes beside the compiled code. */
export interface BuildInfo {
  readonly build?: {
    readonly artifact: string;
    readonly name: string;
    readonly version: string;
    readonly time: string;
  };
  /** Absent where the build saw no Git working copy. */
  readonly git?: {
    /** Absent where no branch was checked out. */
    readonly branch?: string;
    readonly commit: {
      readonly id: { readonly abbrev: string; readonly full: string };
      readonly time: string;
      readonly message: { readonly short: string };
    };
    /** True where the working copy differed from the commit. */
    readonly dirty: boolean;
  };
}

/** Beside the folders of the compiled code; the sources have none. */
const FILE = new URL('../../build-info.json', import.meta.url);

/** Nothing where the file is missing or cut off: a page about the build must not be what fails. */
export async function readBuildInfo(file = FILE): Promise<BuildInfo> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as BuildInfo;
  } catch {
    return {};
  }
}
