import { type Problem, problem } from '../../config/problem.js';

const KEY = 'app.servlet.multipart.location';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'this is no folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left there',
};

/** What an operator can do about a folder that takes no uploads; `code` is that of the system. */
export function uploadFolderProblem(
  code: string,
  { value, origin }: { readonly value: string | undefined; readonly origin: string | undefined },
): Problem {
  return problem(
    'Uploaded files cannot be stored',
    `Make the folder and let the user of the service write to it, or set ${KEY} to one like that.`,
    {
      Property: KEY,
      Value: value,
      Origin: origin,
      Reason: [REASONS[code], code].filter(Boolean).join(': '),
    },
  );
}
