import { describe, expect, it } from 'vitest';
import { ConversionError } from '../../config/bind/conversion-error.js';
import { baseUrl } from './console-url.js';

describe('the base of a console', () => {
  it.each([
    ['https://console.example.com', 'https://console.example.com'],
    [' http://10.0.0.9:8081/admin/ ', 'http://10.0.0.9:8081/admin'],
    ['http://[2001:db8::9]:8081', 'http://[2001:db8::9]:8081'],
  ])('%s is %s', (text, expected) => {
    expect(baseUrl.parse(text)).toBe(expected);
  });

  it.each([
    'console.example.com',
    'ftp://console.example.com',
    'https://login:open-sesame@console.example.com',
    'https://console.example.com/?a=b',
    'https://console.example.com/#a',
    'http://console.example.com:99999',
    '',
  ])('is refused: %s', (text) => {
    expect(baseUrl.parse(text)).toBeInstanceOf(ConversionError);
  });
});
