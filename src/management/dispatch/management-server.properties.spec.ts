import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../../config/problem.js';
import { path, segments } from './management-server.properties.js';

describe('a base path', () => {
  it.each(['', '/', '/actuator', '/ops/', '/a.b/c-d_~1'])('accepts %j', (text) => {
    expect(path.parse(text)).toBe(text);
  });

  it.each(['ops', '//', '/ops//', '/*', '/:id', '/a b', '/a/../b', '/.', '/%41', 'http://a/b', '/a?b'])(
    'rejects %j',
    (text) => {
      expect(path.parse(text)).toBeInstanceOf(ConversionProblem);
    },
  );
});

describe('the path mapping of an endpoint', () => {
  it.each(['healthcheck', 'dumps/threads', 'a.b'])('accepts %j', (text) => {
    expect(segments.parse(text)).toBe(text);
  });

  it.each(['', '/healthcheck', 'healthcheck/', 'a//b', '..', 'a/..', '*', ':id'])('must not be %j', (text) => {
    expect(segments.parse(text)).toBeInstanceOf(ConversionProblem);
  });
});
