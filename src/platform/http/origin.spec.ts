import { expect, it } from 'vitest';
import { ConversionProblem } from '../../config/problem.js';
import { origin } from './origin.js';

it.each([
  ['https://portal.example', 'https://portal.example'],
  ['https://portal.example/', 'https://portal.example'],
  ['https://portal.example:443', 'https://portal.example'],
  ['HTTPS://Portal.Example:443/', 'https://portal.example'],
  ['http://portal.example:80', 'http://portal.example'],
  ['http://portal.example:8080', 'http://portal.example:8080'],
  [' https://portal.example ', 'https://portal.example'],
  ['https://b\u00fccher.example', 'https://xn--bcher-kva.example'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('A4: the origin %s is read as a browser writes it', (text, expected) => {
  expect(origin.parse(text)).toBe(expected);
});

it.each([
  ...['*', 'null', '', 'portal.example', '//portal.example', 'https:portal.example', 'https:///portal.example'],
  ...['https://portal.example/path', 'https://portal.example?', 'https://portal.example/#', 'https://portal.example//'],
  ...[
    'https://user@portal.example',
    'https://user:pw@portal.example',
    'https://portal.example\\',
    'ftp://portal.example',
  ],
  ...[
    'https://*.portal.example',
    'https://portal.example:99999',
    'https://portal.example:x',
    'https://',
    'https://por tal.example',
  ],
])('A4: %j is not an origin', (text) => {
  expect(origin.parse(text)).toBeInstanceOf(ConversionProblem);
});
