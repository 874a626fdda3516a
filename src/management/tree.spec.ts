import { expect, it } from 'vitest';
import { emptyTree, setPath } from './tree.js';

function treeOf(...paths: readonly string[]): unknown {
  const tree = emptyTree();
  for (const path of paths) setPath(tree, path.split('.'), path);
  return JSON.parse(JSON.stringify(tree));
}

it('setPath sets values at their paths', () => {
  expect(treeOf('a.b', 'a.c', 'd')).toEqual({ a: { b: 'a.b', c: 'a.c' }, d: 'd' });
});

it.each([
  ['first', ['a', 'a.b']],
  ['last', ['a.b', 'a']],
])('setPath replaces a scalar that comes %s by the object below it', (_, paths) => {
  expect(treeOf(...paths)).toEqual({ a: { b: 'a.b' } });
});

it('H4: setPath treats names such as __proto__ as ordinary keys', () => {
  expect(JSON.stringify(treeOf('a.x', 'a.constructor'))).toBe('{"a":{"x":"a.x","constructor":"a.constructor"}}');
  setPath(emptyTree(), ['__proto__', 'polluted'], true);

  expect(Object.prototype).not.toHaveProperty('polluted');
});
