/**
 * Preloaded into a service (`node --import <this file>?folder=<folder>&when=<file>`): the second reading of a file in the folder
 * of uploads stops in the middle while that file exists. The first reading checks an import, the second one stores it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

const { searchParams } = new URL(import.meta.url);
const folder = searchParams.get('folder') ?? '';
const when = searchParams.get('when') ?? '';
const { createReadStream } = fs;
let readings = 0;

fs.createReadStream = (path, options) => {
  if (!String(path).startsWith(folder)) return createReadStream(path, options);
  readings += 1;
  return readings % 2 === 1 ? createReadStream(path, options) : (Readable.from(held(String(path))) as fs.ReadStream);
};
syncBuiltinESMExports();

async function* held(path: string): AsyncGenerator<Buffer> {
  const content = fs.readFileSync(path);
  const middle = content.length >> 1;
  yield content.subarray(0, middle);
  while (fs.existsSync(when)) await wait(20);
  yield content.subarray(middle);
}
