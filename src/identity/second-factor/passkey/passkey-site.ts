import { isIP } from 'node:net';

/** Where passkeys work: their RP ID (WebAuthn level 3, section 4) and the origin of the service; or why they do not. */
export type PasskeySite =
  | { readonly kind: 'usable'; readonly rpId: string; readonly origin: string }
  | { readonly kind: 'unusable'; readonly reason: string };

/** The URL at which browsers use this service, told by the HTTP host. */
export class BrowserAddress {
  /** `openPort` takes the place of port 0, as soon as the listener is open. */
  constructor(
    readonly url: string | undefined,
    readonly openPort: () => string | undefined = () => undefined,
  ) {}
}

/** The site of the URL at which browsers use this service; `url` is undefined without a public URL and a listener. */
export function passkeySite(url: string | undefined): PasskeySite {
  if (url === undefined) {
    return { kind: 'unusable', reason: 'there is neither app.security.public-url nor a listener' };
  }
  const { hostname, protocol, origin } = new URL(url);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return { kind: 'unusable', reason: 'passkeys need a domain name, not an IP address' };
  }
  if (protocol !== 'https:' && !isLocalhost(hostname)) {
    return { kind: 'unusable', reason: 'browsers offer passkeys at https addresses and at http://localhost only' };
  }
  return { kind: 'usable', rpId: hostname, origin };
}

const NATIVE_ORIGIN = /^(?:android:apk-key-hash(?:-sha\d{3})?:[\w-]{27,86}|ios:bundle-id:[\w.-]{1,155})$/;

/** True for the origin of an app, as Android and iOS write it. */
export function isNativeOrigin(origin: string): boolean {
  return NATIVE_ORIGIN.test(origin);
}

/** Why responses from an origin can never be valid for the RP ID; undefined if they can. */
export function originProblem(origin: string, rpId: string): string | undefined {
  if (isNativeOrigin(origin)) return undefined;
  const { hostname, protocol } = new URL(origin);
  if (hostname !== rpId && !hostname.endsWith(`.${rpId}`)) return `its host is neither ${rpId} nor below it`;
  return protocol === 'https:' || isLocalhost(hostname) ? undefined : 'it is without https';
}

/** Browsers trust these hosts without https. */
function isLocalhost(hostname: string): boolean {
  return /^(?:.+\.)?localhost$/.test(hostname);
}
