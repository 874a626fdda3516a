import { expect, it } from 'vitest';
import { exposureFacts } from './secret-file.js';

const SELF = { uid: 1000, gids: [1000, 2000] };

it.each([
  ['its own user', 0o600, 1000, 1000],
  ['its own user, read-only', 0o400, 1000, 1],
  ['root and a group of the process', 0o440, 0, 2000],
  ['root and its first group', 0o640, 0, 1000],
  ['its own user and a group of the process', 0o440, 1000, 2000],
])('A3: a file of %s is private (mode %o)', (_, mode, uid, gid) => {
  expect(exposureFacts({ mode: 0o100_000 | mode, uid, gid }, SELF)).toBeUndefined();
});

it.each([
  ['every user may read', 0o444, 0, 2000, 'every user has access'],
  ['every user may write', 0o602, 1000, 1000, 'every user has access'],
  ['its group may write', 0o660, 1000, 1000, 'its group may do more than read it'],
  ['another group may read', 0o440, 0, 0, 'group 0 may read it, and is not one of this process'],
  ['another user owns', 0o400, 1001, 1000, 'user 1001 owns it, who is neither root nor the user of this process'],
])('A3: a file that %s is not private (mode %o)', (_, mode, uid, gid, reason) => {
  expect(exposureFacts({ mode: 0o100_000 | mode, uid, gid }, SELF)).toEqual({ Mode: mode.toString(8), Reason: reason });
});
