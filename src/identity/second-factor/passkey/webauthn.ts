import type * as WebAuthn from '@simplewebauthn/server';
import { readJson } from '../../../kernel/encoding/strict-json.js';

/** The library that verifies registrations and assertions; loaded at first use, since few deployments start with it. */
export function webauthn(): Promise<typeof WebAuthn> {
  return import('@simplewebauthn/server');
}

const LOGGED_LENGTH = 200;

/** The text of an error of the library for the log, cut, since it repeats what clients send. */
export function loggedText(error: string): string {
  return error.slice(0, LOGGED_LENGTH);
}

/** The parts of client data (WebAuthn level 3, section 5.8.1) that the service reads itself. */
export interface ClientData {
  readonly challenge: string;
  /** True if the page is, or claims to be, in a frame of another origin. */
  readonly isCrossOrigin: boolean;
}

/** Undefined if the Base64url text is not JSON with a challenge, or names a member twice: verifiers may read either. */
export function clientDataOf(base64url: string): ClientData | undefined {
  // The decoding of WebAuthn level 3 (section 7) ignores a byte order mark, as every JSON body does here.
  const data = readJson(Buffer.from(base64url, 'base64url'))?.value;
  if (typeof data !== 'object' || data === null) return undefined;
  const { challenge, crossOrigin = false, topOrigin } = data as Readonly<Record<string, unknown>>;
  if (typeof challenge !== 'string') return undefined;
  return { challenge, isCrossOrigin: crossOrigin !== false || topOrigin !== undefined };
}

/** The user handle of an account (WebAuthn level 3, section 5.4.3): its id, which says nothing about the person. */
export function userHandleOf(subject: string): string {
  return Buffer.from(subject).toString('base64url');
}
