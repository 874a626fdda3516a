import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { operatorActor, withReason } from './operator.js';

const NAMELESS = (): string => {
  throw new Error('ENOENT');
};

describe('A7: the actor of a command', () => {
  it.each([
    ['is the user of the process', () => 'login', undefined, 'cli:login'],
    ['contains the sudo user in parentheses', () => 'login', 'anna', 'cli:login(anna)'],
    ['is written once if both are equal', () => 'anna', 'anna', 'cli:anna'],
    ['ignores an empty sudo user', () => 'login', '', 'cli:login'],
    ['is the user id if the user has no name', NAMELESS, undefined, 'cli:uid-1000'],
    ['cannot be forged beyond the parentheses', () => 'login', 'a)\ncli:root(b', 'cli:login(a??cli?root?b)'],
  ])('%s', (_, username, sudoUser, actor) => {
    expect(operatorActor({ username, uid: 1000, sudoUser })).toBe(actor);
  });

  it('fits into its database column', () => {
    const username = (): string => 'u'.repeat(100);

    expect(operatorActor({ username, uid: 1000, sudoUser: 'v'.repeat(100) }).length).toBeLessThanOrEqual(64);
  });
});

describe('A7: the reason of a command', () => {
  it.each([
    ['  ticket   4711 ', 'ticket 4711'],
    ['one\nline\u001b[31m', 'one line [31m'],
    ['the password: hunter2', 'the password: ******'],
  ])('%j is stored as %j', (text, stored) => {
    expect(reasonOf(text)).toBe(stored);
  });

  it.each(['', ' \n ', 'x'.repeat(201)])('%j is rejected', (text) => {
    expect(() => reasonOf(text)).toThrow(/A reason/);
  });
});

function reasonOf(text: string): unknown {
  const command = withReason(new Command().exitOverride().configureOutput({ writeErr: () => undefined }));
  return command.parse(['--reason', text], { from: 'user' }).opts()['reason'];
}
