import { describe, expect, it } from 'vitest';
import { browserNameOf } from './browser-name.js';

const MOZILLA = 'Mozilla/5.0';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('browserNameOf', () => {
  it.each([
    [`${MOZILLA} (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox', 'Windows'],
    [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, 'Chrome', 'macOS'],
    [
      `${MOZILLA} (Windows NT 10.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
      'Microsoft Edge',
      'Windows',
    ],
    [
      `${MOZILLA} (iPhone; CPU iPhone OS 26_0 like Mac OS X) ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`,
      'Safari',
      'iPhone',
    ],
    [
      `${MOZILLA} (Linux; Android 16) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
      'Samsung Internet',
      'Android',
    ],
    [`${MOZILLA} (Windows NT 10.0) ${WEBKIT} Chrome/130.0.0.0 Whale/4.30 Safari/537.36`, 'Whale', 'Windows'],
    ['curl/8.5.0', 'curl', undefined],
  ])('names the browser and the system of %s', (agent, browser, system) => {
    expect(browserNameOf(agent)).toEqual({ browser, ...(system !== undefined && { system }) });
  });

  it.each(['', 'node', '<script>alert(1)</script>', 'x'.repeat(255)])('repeats no text of the caller: %s', (agent) => {
    expect(browserNameOf(agent)).toEqual({});
  });
});
