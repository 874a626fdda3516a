import { type CborValue, head } from './cbor.js';
import type { MessageOverrides } from './passkey-messages.js';

/** The relying party that the attacker wants to deceive. */
export interface Site {
  readonly rpId: string;
  readonly origin: string;
}

/** A response that must be rejected, as a deviation from a genuine one. */
export interface Hostile<O> {
  /** A noun phrase. */
  readonly title: string;
  readonly overrides: (site: Site) => O;
}

type Row<O> = readonly [title: string, overrides: O | ((site: Site) => O)];

export function hostileRows<O extends object>(rows: readonly Row<O>[]): readonly Hostile<O>[] {
  return rows.map(([title, overrides]) => ({
    title,
    overrides: typeof overrides === 'function' ? overrides : () => overrides,
  }));
}

export const EVIL_ORIGIN = 'https://evil.example';
/** The flags byte of authenticator data. */
const FLAGS_AT = 32;
const DEEP = 5_000;

/** Authenticator data with raw CBOR as extension data. */
function extended(cbor: Buffer): MessageOverrides {
  return { flags: { ed: true }, authenticatorData: (bytes) => Buffer.concat([bytes, cbor]) };
}

function encoded(text: string | Buffer): string {
  return Buffer.from(text).toString('base64url');
}

/** Client data that every verifier rejects, at a registration and at an assertion. */
const CLIENT_DATA = hostileRows<MessageOverrides>([
  ['another origin', { clientData: { origin: EVIL_ORIGIN } }],
  ['an origin with another port', ({ origin }) => ({ clientData: { origin: withPort(origin) } })],
  ['an origin with a trailing slash', ({ origin }) => ({ clientData: { origin: `${origin}/` } })],
  ['an origin that continues', ({ origin }) => ({ clientData: { origin: `${origin}.evil.example` } })],
  ['a subdomain as origin', ({ rpId }) => ({ clientData: { origin: `https://sub.${rpId}` } })],
  ['the RP ID as origin', ({ rpId }) => ({ clientData: { origin: rpId } })],
  ['no origin', { clientData: { origin: undefined } }],
  ['a list of origins', ({ origin }) => ({ clientData: { origin: [origin] } })],
  ['another challenge', { clientData: { challenge: encoded(Buffer.alloc(32, 7)) } }],
  ['an empty challenge', { clientData: { challenge: '' } }],
  ['no challenge', { clientData: { challenge: undefined } }],
  ['the type of a payment', { clientData: { type: 'payment.get' } }],
  ['no type', { clientData: { type: undefined } }],
  ['a token binding that is a text', { clientData: { tokenBinding: 'present' } }],
  ['a token binding with an unknown status', { clientData: { tokenBinding: { status: 'bound', id: 'x' } } }],
  [
    'a second origin that is another one',
    { clientDataText: (json) => json.replace(/\}$/, `,"origin":"${EVIL_ORIGIN}"}`) },
  ],
  ['client data that is no JSON', { clientDataText: () => '{"type"' }],
  ['client data that is null', { clientDataText: () => 'null' }],
  ['client data that is a list', { clientDataText: () => '[]' }],
  ['empty client data', { clientDataText: () => '' }],
  ['client data in UTF-16', { clientDataText: (json) => Buffer.from(json, 'utf16le') }],
  ['client data with text after it', { clientDataText: (json) => `${json}{}` }],
  ['no client data', { response: { clientDataJSON: undefined } }],
]);

/** Authenticator data. */
const AUTHENTICATOR_DATA = hostileRows<MessageOverrides>([
  ['another RP ID', { rpId: 'evil.example' }],
  ['the origin in place of the RP ID', ({ origin }) => ({ rpId: origin })],
  ['a subdomain as RP ID', ({ rpId }) => ({ rpId: `sub.${rpId}` })],
  ['no user presence', { flags: { up: false } }],
  ['a backed-up passkey that is not backup eligible', { flags: { be: false, bs: true } }],
  ['no flags', { authenticatorData: (bytes) => bytes.fill(0, FLAGS_AT, FLAGS_AT + 1) }],
  ['empty authenticator data', { authenticatorData: () => Buffer.of() }],
  ['authenticator data of 36 bytes', { authenticatorData: (bytes) => bytes.subarray(0, 36) }],
  ['authenticator data with a byte after it', { authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) }],
  [
    'authenticator data with 64 KiB after it',
    { authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.alloc(65_536)]) },
  ],
  ['extension data without its flag', { extensions: new Map([['x', true]]), flags: { ed: false } }],
  ['the flag of extension data without any', { flags: { ed: true } }],
  ['truncated extension data', extended(Buffer.of(0xa1, 0x61))],
  ['extension data that claims 4 billion members', extended(head(5, 0xffff_ffff))],
  ['extension data that claims 4 GB of text', extended(Buffer.concat([Buffer.of(0xa1), head(3, 0xffff_ffff)]))],
  ['extension data that is a number', extended(Buffer.of(0x01))],
  ['extension data of indefinite length', extended(Buffer.of(0xbf, 0x61, 0x78, 0xf5, 0xff))],
  ['extension data with a key twice', extended(Buffer.from('a26178f56178f4', 'hex'))],
  [
    'extension data with 5,000 nested lists',
    extended(Buffer.concat([Buffer.of(0xa1, 0x61, 0x78), Buffer.alloc(DEEP, 0x81)])),
  ],
]);

/** The members of the credential. */
const MEMBERS = hostileRows<MessageOverrides>([
  ['an id that is not the raw id', { members: { id: encoded('another') } }],
  ['an empty id', { members: { id: '', rawId: '' } }],
  ['no id', { members: { id: undefined } }],
  ['another type of credential', { members: { type: 'password' } }],
  ['no response', { members: { response: undefined } }],
]);

/** Deviations of a registration or an assertion that a verifier without knowledge of the site rejects. */
export const HOSTILE_MESSAGES: readonly Hostile<MessageOverrides>[] = [
  ...CLIENT_DATA,
  ...AUTHENTICATOR_DATA,
  ...MEMBERS,
];

const DEPTH_OF_OUTPUT: CborValue = new Map([['nested', new Map([['twice', [1, 2]]])]]);

/**
 * Deviations of a registration or an assertion that the library accepts, since the standard leaves them to the site or
 * the library leaves them out.
 */
export const UNCHECKED_MESSAGES = hostileRows<MessageOverrides>([
  ['a frame of another origin', { clientData: { crossOrigin: true } }],
  ['a text that says that the frame has another origin', { clientData: { crossOrigin: 'true' } }],
  ['client data with a member twice', { clientDataText: (json) => json.replace('{', `{"origin":"${EVIL_ORIGIN}",`) }],
]);

/**
 * Outputs of extensions that the site did not ask for. At a registration they are harmless: browsers ask for `credProtect`
 * themselves when a passkey is stored on the authenticator.
 */
export const EXTENSION_OUTPUTS = hostileRows<MessageOverrides>([
  ['an output of an extension that was not asked for', { extensions: new Map([['credProtect', 2]]) }],
  ['nested outputs of an unknown extension', { extensions: DEPTH_OF_OUTPUT }],
]);

/** Unusual messages that a site must accept: level 3 tells sites to ignore unknown members. */
export const HARMLESS_MESSAGES = hostileRows<MessageOverrides>([
  ['unknown members in the client data', { clientData: { other_keys_can_be_added_here: 'do not compare', n: 1 } }],
  ['client data without `crossOrigin`', { clientData: { crossOrigin: undefined } }],
  ['client data with spaces', { clientDataText: (json) => JSON.stringify(JSON.parse(json), undefined, 2) }],
  ['a byte order mark before the client data', { clientDataText: (json) => `\uFEFF${json}` }],
  ['no user handle', { response: { userHandle: undefined } }],
  ['a token binding that the browser supports', { clientData: { tokenBinding: { status: 'supported' } } }],
  ['reserved flags', { authenticatorData: (bytes) => setFlag(bytes, 0x22) }],
  ['unknown members of the credential', { members: { further: 1 }, response: { further: [] } }],
]);

/** The authenticator data with further flags. */
export function setFlag(bytes: Buffer, bits: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(FLAGS_AT) | bits, FLAGS_AT);
  return changed;
}

function withPort(origin: string): string {
  const url = new URL(origin);
  url.port = '4433';
  return url.origin;
}
