/** Preloaded into a service (`node --import <this file>?when=<file>`): while that file exists, the disk confirms nothing. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const when = new URL(import.meta.url).searchParams.get('when') ?? '';
const { fdatasync } = fs;

fs.fdatasync = Object.assign(
  (descriptor: number, done: fs.NoParamCallback): void => {
    if (fs.existsSync(when)) done(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    else fdatasync(descriptor, done);
  },
  { __promisify__: fdatasync.__promisify__ },
);
syncBuiltinESMExports();
