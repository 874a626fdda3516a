import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import { PNG } from 'pngjs';
import decodeQr from 'qr/decode.js';
import { Complaint } from './complaint.mjs';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--no-first-run', '--disable-lcd-text'],
];

/** Starts the Chromium or Chrome of this machine. */
export function launchChromium() {
  return chromium.launch({ executablePath: program(), args: ARGUMENTS });
}

/** Content of a QR code on a page, from its pixels. */
export async function readQr(locator) {
  const { width, height, data } = PNG.sync.read(await locator.screenshot());
  return decodeQr({ width, height, data: new Uint8Array(data) });
}

function program() {
  const script = PROGRAMS.map((name) => `command -v ${name}`).join(' || ');
  try {
    return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trim();
  } catch {
    throw new Complaint(`None of these browsers is installed: ${PROGRAMS.join(', ')}.`);
  }
}

/** Gives the tab a security key, which is touched at once when a page asks for it. */
export async function plugSecurityKey(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true };
  await session.send('WebAuthn.addVirtualAuthenticator', { options });
}
