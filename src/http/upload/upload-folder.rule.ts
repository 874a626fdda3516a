import { accessSync, constants, statSync } from 'node:fs';
import { Rule } from '../../config/check/rule.js';
import { MultipartProperties } from './multipart.properties.js';
import { uploadFolderProblem } from './upload-folder-problem.js';

/** The folder for uploads is there and can be written; the start tries it by writing. */
export const uploadFolderWritable = new Rule('uploads', (facts) => {
  const { location } = facts.get(MultipartProperties);
  const code = location === undefined ? undefined : obstacle(location);
  if (code === undefined) return [];
  const { Value: value, Origin: origin } = facts.of('app.servlet.multipart.location');
  return [{ ...uploadFolderProblem(code, { value, origin }), severity: 'fault' }];
});

function obstacle(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return 'ENOTDIR';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EACCES';
  }
}
