import { expect, it } from 'vitest';
import { importFormat } from './import-file.js';

it.each([
  ['people.csv', '', 'csv'],
  ['PEOPLE.CSV', 'application/vnd.ms-excel', 'csv'],
  ['people', 'text/csv', 'csv'],
  ['people.jsonl', 'application/octet-stream', 'json lines'],
  ['people.ndjson', '', 'json lines'],
  ['people.txt', 'application/x-ndjson', 'json lines'],
  ['people.csv', 'application/jsonl', 'json lines'],
  ['people.json', 'application/json', undefined],
  ['csv', 'text/plain', undefined],
  ['people.csv.exe', 'application/octet-stream', undefined],
  ['people.constructor', '__proto__', undefined],
  ['', '', undefined],
])('a file called %s of type "%s" is %s', (name, mediaType, format) => {
  expect(importFormat(name, mediaType)).toBe(format);
});
