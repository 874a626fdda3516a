import { describe, expect, it } from 'vitest';
import { failureText } from './failure-text.js';

describe('the text of a failed health check', () => {
  it('contains name and message of the error', () => {
    expect(failureText(new TypeError('connect ECONNREFUSED 10.0.0.9:6379'))).toBe(
      'TypeError: connect ECONNREFUSED 10.0.0.9:6379',
    );
  });

  it('contains the messages of all connection attempts', () => {
    const attempts = [new Error('connect ECONNREFUSED ::1:25'), new Error('connect ECONNREFUSED 127.0.0.1:25')];

    expect(failureText(new AggregateError(attempts))).toBe(
      'AggregateError: connect ECONNREFUSED ::1:25, connect ECONNREFUSED 127.0.0.1:25',
    );
  });

  it('describes a thrown value that is not an error', () => {
    expect(failureText('gone')).toBe('Error: gone');
  });

  // Another system may send such a response. Each form of a secret was once searched from every letter of it.
  it.each(['a', 'a.', 'a:', 'jdbc:a', "'"])('H6: is truncated at a blank for a long repetition of %s', (part) => {
    expect(failureText(new Error(`first root:hunter2@db ${part.repeat(1_000_000)}`))).toBe('Error: first ****** ...');
    expect(failureText(new Error(part.repeat(1_000_000)))).toBe('Error: ...');
  });

  it.each([
    'cannot open jdbc:mysql://root:hunter2@db:3306/login?ssl=1',
    'cannot open jdbc:sqlite:./hunter2.db now',
    'redis://:hunter2@store:6379/0 refused',
    'redis://:not hunter2@store:6379/0 refused',
    'AUTH with eyJhbGciOiJub25lIn0.hunter2.x failed',
    "Access denied for user 'hunter2'@'10.0.0.7' (using password: YES)",
    'login as root:hunter2@db failed',
    'wrong password=hunter2;',
    'the option "password": "hunter2" is not supported',
    'pwd: hunter2, try again',
    'api-key = hunter2',
    'HTTP GET https://idp.example/metadata?sid=hunter2',
  ])('L1 masks the secret in: %s', (message) => {
    const text = failureText(new Error(message));

    expect(text).not.toContain('hunter2');
    expect(text).toContain('******');
  });

  it.each(['connect ETIMEDOUT 10.0.0.9:3306', 'ER_CON_COUNT_ERROR: Too many connections', 'disk I/O error'])(
    'keeps a message without secrets: %s',
    (message) => {
      expect(failureText(new Error(message))).toBe(`Error: ${message}`);
    },
  );
});
