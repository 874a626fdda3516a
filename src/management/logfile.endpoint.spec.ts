import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ask } from '../../test/support/http/operation-request.js';
import { temporaryFolder } from '../../test/support/programs/temporary-folder.js';
import { LogFile } from '../observability/logging/logging.module.js';
import { LogfileEndpoint } from './logfile.endpoint.js';
import { ExternalLogfileProperties } from './management.properties.js';

const TEN_BYTES = '0123456789';

/** Status, `Content-Range` and body of a request with this `Range` for a log file with this content. */
async function requested(
  range: string | undefined,
  content = TEN_BYTES,
): Promise<{ readonly status: number; readonly range: string | undefined; readonly body: string | undefined }> {
  const path = join(temporaryFolder('logfile'), 'service.log');
  writeFileSync(path, content);
  const endpoint = new LogfileEndpoint(new LogFile(path), new ExternalLogfileProperties());
  const headers = range === undefined ? {} : { range };
  const result = await ask(endpoint, 'GET', { headers });
  const body = typeof result.body === 'object' ? await text(result.body as Readable) : (result.body as string);
  return { status: result.status ?? 200, range: result.headers?.['content-range'], body };
}

it.each([
  ['bytes=0-0', 0, 0],
  ['bytes=2-5', 2, 5],
  ['bytes=9-', 9, 9],
  ['bytes=0-', 0, 9],
  ['bytes=5-500', 5, 9],
  ['bytes=-1', 9, 9],
  ['bytes=-10', 0, 9],
  // RFC 9110 section 14.1.2: a suffix longer than the file selects the whole file.
  ['bytes=-500', 0, 9],
  ['Bytes= 2-5 ', 2, 5],
  ['bytes=0-99999999999999999999999', 0, 9],
])('range %s of 10 bytes is %i to %i', async (header, first, last) => {
  expect(await requested(header)).toEqual({
    status: 206,
    range: `bytes ${first}-${last}/10`,
    body: TEN_BYTES.slice(first, last + 1),
  });
});

it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
  'range %s cannot be satisfied for 10 bytes',
  async (header) => {
    expect(await requested(header)).toEqual({ status: 416, range: 'bytes */10', body: undefined });
  },
);

it.each(['bytes=0-', 'bytes=-5'])('range %s cannot be satisfied for an empty file', async (header) => {
  expect(await requested(header, '')).toEqual({ status: 416, range: 'bytes */0', body: undefined });
});

it.each([
  undefined,
  '',
  'bytes=',
  'bytes=-',
  'bytes=5-2',
  'bytes=0-1,4-5',
  'lines=0-1',
  'bytes=a-b',
  'bytes=1-2-3',
  '0-5',
])('range %s is ignored', async (header) => {
  expect(await requested(header)).toEqual({ status: 200, range: undefined, body: TEN_BYTES });
});
