import { expect, it } from 'vitest';
import { LEAK } from './leak.js';

it.each([
  'TypeError: x is not a function',
  'at Object.<anonymous> (file:///a.js:1:2)',
  '/usr/lib/node',
  '/dev/shm/login-service-test-x/service-y/data/login.db',
  'SQLITE_CONSTRAINT: UNIQUE constraint failed',
  "ER_DUP_ENTRY: Duplicate entry 'anna'",
  'ER_NO_SUCH_TABLE',
  'ER_BAD_DB_ERROR',
  'ER_ROW_IS_REFERENCED_2',
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'HPE_INVALID_CONSTANT',
  'HPE_CB_HEADERS_COMPLETE',
  'HPE_INTERNAL',
  'You have an error in your SQL syntax; check the manual of your MySQL server',
  'mysql2/promise',
])('LEAK matches %s', (text) => {
  expect(LEAK.test(text)).toBe(true);
});

it.each(['-ER_FabcdEFGH', '-ER_FABCDEFGH', 'aFST_x', 'xHPE_-', '-HPE_ABCDEFGH', 'aMySQLb', '"code":"INTERNAL_ERROR"'])(
  'LEAK does not match %s',
  (text) => {
    expect(LEAK.test(text)).toBe(false);
  },
);
