import { type Browser, chromium } from 'playwright-core';
import { programOf } from './binaries.js';

/** The browser of this machine, without network habits of its own; close it when done. */
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
