import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { ALG, publicKeyOf } from './cose-key.js';
import { MAX_CREDENTIAL_ID_BYTES } from './passkey.js';

/**
 * The COSE algorithm (RFC 9053) of the public key in a registration that the library has accepted. Undefined for what the
 * library leaves to its callers: bytes that are not CTAP2 canonical CBOR, that are cut off or that follow the end
 * (WebAuthn level 3, section 2.4), an id that is too long or not the attested one, and a key that does not exist on its
 * curve.
 */
export async function strictAlgorithmOf({ id, response }: RegistrationResponseJSON): Promise<number | undefined> {
  const { decodeAttestationObject, isoCBOR, parseAuthenticatorData } = await import('@simplewebauthn/server/helpers');
  const bytes = new Uint8Array(Buffer.from(response.attestationObject, 'base64url'));
  if (!isSame(isoCBOR.encode(isoCBOR.decodeFirst(bytes)), bytes)) return undefined;
  const object = decodeAttestationObject(bytes);
  const data = object.get('authData') as Uint8Array<ArrayBuffer> | undefined;
  if (!data) return undefined;
  const { rpIdHash, flagsBuf, counterBuf, aaguid, credentialID, credentialPublicKey, extensionsDataBuffer } =
    parseAuthenticatorData(data);
  if (!aaguid || !credentialID || !credentialPublicKey) return undefined;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialID.length);
  const parts = [rpIdHash, flagsBuf, counterBuf, aaguid, length, credentialID, credentialPublicKey];
  if (!isSame(Buffer.concat([...parts, extensionsDataBuffer ?? Buffer.of()]), data)) return undefined;
  if (credentialID.length > MAX_CREDENTIAL_ID_BYTES || Buffer.from(credentialID).toString('base64url') !== id) {
    return undefined;
  }
  const key = isoCBOR.decodeFirst<Map<number, unknown>>(credentialPublicKey);
  const algorithm = Number(key.get(ALG));
  const statement = object.get('attStmt');
  // A statement without certificates is signed with the key itself (WebAuthn level 3, section 8.2).
  const declared = statement.get('x5c') ? algorithm : (statement.get('alg') ?? algorithm);
  return publicKeyOf(key) && declared === algorithm ? algorithm : undefined;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
