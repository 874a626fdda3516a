// Passkeys without the library of the service: keys, and assertions of WebAuthn level 3, section 6.3.3.
import { Buffer } from 'node:buffer';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export const ORIGIN = 'https://login.example.com';
const RP_ID = 'login.example.com';
/** User present and user verified. */
const FLAGS = 0x05;

const sha256 = (data) => createHash('sha256').update(data).digest();

/** Algorithms by their COSE number (RFC 9053), with the pair of a new key and its COSE key in CBOR. */
export const ALGORITHMS = {
  ES256: {
    number: -7,
    pair: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    cose: ({ x, y }) => `a5010203262001215820${hexOf(x)}225820${hexOf(y)}`,
  },
  EdDSA: {
    number: -8,
    pair: () => generateKeyPairSync('ed25519'),
    cose: ({ x }) => `a4010103272006215820${hexOf(x)}`,
  },
  RS256: {
    number: -257,
    pair: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    cose: ({ n, e }) => `a401030339010020590100${hexOf(n)}2143${hexOf(e)}`,
  },
};

function hexOf(base64url) {
  return Buffer.from(base64url, 'base64url').toString('hex');
}

/** A passkey, which may pretend to be another one. */
export class Passkey {
  id = randomBytes(16).toString('base64url');
  #counter = 0;

  constructor(algorithm, subject = 'nobody') {
    this.algorithm = algorithm;
    this.subject = subject;
    this.pair = ALGORITHMS[algorithm].pair();
  }

  /** The same key under another id. */
  renamed() {
    this.id = randomBytes(16).toString('base64url');
    return this;
  }

  /** The public key as the table `passkey` has it. */
  get stored() {
    const jwk = this.pair.publicKey.export({ format: 'jwk' });
    return Buffer.from(ALGORITHMS[this.algorithm].cose(jwk), 'hex').toString('base64url');
  }

  /** A response to the challenge; `signer` signs in place of the key of this passkey. */
  assert(challenge, signer = this) {
    this.#counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const authenticatorData = Buffer.concat([sha256(RP_ID), Buffer.of(FLAGS), counter]);
    const clientData = Buffer.from(
      JSON.stringify({ type: 'webauthn.get', challenge, origin: ORIGIN, crossOrigin: false }),
    );
    const digest = signer.algorithm === 'EdDSA' ? null : 'sha256';
    const signature = sign(digest, Buffer.concat([authenticatorData, sha256(clientData)]), signer.pair.privateKey);
    return {
      ...{ id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {} },
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: Buffer.from(this.subject).toString('base64url'),
      },
    };
  }
}
