import { type Browser, chromium } from 'playwright-core';
import { programOf } from '../runner/binaries.js';

/** Starts the installed Chromium without its background network requests; the caller closes it. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: programOf('chromium'),
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}
