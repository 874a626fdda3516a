import { randomBytes } from 'node:crypto';
import type { AttestationAuthority } from './attestation-authority.js';
import { type CborValue, encodeCbor } from './cbor.js';
import { COSE_ALGORITHM, type CoseKey, type PasskeyAlgorithm, PasskeyKey } from './passkey-key.js';
import {
  type AssertionJson,
  attestedDataOf,
  authenticatorDataOf,
  clientDataOf,
  type CreationOptionsJson,
  type MessageOverrides,
  type RegistrationJson,
  type RequestOptionsJson,
  sha256,
  withOverrides,
} from './passkey-messages.js';

export type Attestation = 'none' | 'packed-self' | 'packed-certificate';

export interface AuthenticatorOptions {
  readonly rpId: string;
  readonly origin: string;
  /** ES256 by default. */
  readonly algorithm?: PasskeyAlgorithm;
  /** Whether its passkeys are synced: backup eligible and backed up. False by default. */
  readonly isSynced?: boolean;
  /** True by default. */
  readonly userVerified?: boolean;
  /** True by default. */
  readonly userPresent?: boolean;
  /** By how much an assertion raises the counter; by default 1, and 0 for a synced passkey. */
  readonly counterStep?: number;
  /** Zero by default. */
  readonly aaguid?: string;
  /** Sent if the options ask for more than `none`; `none` by default. */
  readonly attestation?: Attestation;
  /** Signs the certificate of `packed-certificate`. */
  readonly authority?: AttestationAuthority;
}

export interface PasskeyCredential {
  readonly id: string;
  readonly key: PasskeyKey;
  readonly userHandle: string;
  counter: number;
}

interface SignatureOverrides {
  /** Signs in place of the key of the credential. */
  readonly signer?: PasskeyKey;
  /** ECDSA as r and s without DER. */
  readonly isRawSignature?: boolean;
  /** Changes the signature. */
  readonly signature?: (bytes: Buffer) => Buffer;
}

/** Deviations of a registration. */
export interface RegistrationOverrides extends MessageOverrides, SignatureOverrides {
  /** Sends this attestation, whatever the options ask for. */
  readonly attestation?: Attestation;
  readonly aaguid?: string;
  /** The AAGUID in the certificate, if it is another one. */
  readonly certifiedAaguid?: string;
  /** Changes the public key. */
  readonly publicKey?: (key: CoseKey) => CborValue;
  readonly format?: string;
  /** Members of the attestation statement, by name. */
  readonly statement?: Readonly<Record<string, CborValue>>;
  /** Changes the bytes of the attestation object. */
  readonly attestationObject?: (bytes: Buffer) => Buffer;
  /** Responds where a browser would reject the options. */
  readonly isForced?: boolean;
}

/** Deviations of an assertion. */
export interface AssertionOverrides extends MessageOverrides, SignatureOverrides {
  /** Used whatever the options allow. */
  readonly credential?: PasskeyCredential;
  /** Responds where a browser would reject the options. */
  readonly isForced?: boolean;
}

/** A browser with an authenticator, written without the library of the service. */
export class SoftwareAuthenticator {
  readonly credentials: PasskeyCredential[] = [];
  private readonly algorithm: PasskeyAlgorithm;
  private readonly isSynced: boolean;
  private readonly aaguid: string;

  constructor(private readonly options: AuthenticatorOptions) {
    this.algorithm = options.algorithm ?? 'ES256';
    this.isSynced = options.isSynced ?? false;
    this.aaguid = options.aaguid ?? '00000000-0000-0000-0000-000000000000';
  }

  /** Creates a passkey and responds as `navigator.credentials.create` does. */
  register(creation: CreationOptionsJson, overrides: RegistrationOverrides = {}): RegistrationJson {
    if (overrides.isForced !== true) this.checkCreation(creation);
    const id = overrides.credentialId ?? randomBytes(16).toString('base64url');
    const key = PasskeyKey.generate(this.algorithm);
    const credential = { id, key, userHandle: creation.user.id, counter: 0 };
    this.credentials.push(credential);

    const { clientData, signed, authData } = this.message('webauthn.create', creation.challenge, {
      overrides,
      counter: credential.counter,
      attested: attestedDataOf(
        overrides.aaguid ?? this.aaguid,
        id,
        encodeCbor(overrides.publicKey?.(key.cose) ?? key.cose),
      ),
    });
    const object = this.attestationObject(key, creation.attestation, authData, signed, overrides);
    return withOverrides(
      {
        ...this.credentialJson(id),
        response: {
          clientDataJSON: clientData.toString('base64url'),
          attestationObject: (overrides.attestationObject?.(object) ?? object).toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          transports: this.isSynced ? ['hybrid', 'internal'] : ['usb'],
          publicKeyAlgorithm: COSE_ALGORITHM[key.algorithm],
          publicKey: key.spki.toString('base64url'),
        },
      },
      overrides,
    );
  }

  /** Signs with a passkey that the options allow and responds as `navigator.credentials.get` does. */
  assert(request: RequestOptionsJson, overrides: AssertionOverrides = {}): AssertionJson {
    if (overrides.isForced !== true) this.checkRequest(request);
    const credential = overrides.credential ?? this.allowed(request);
    credential.counter += this.options.counterStep ?? (this.isSynced ? 0 : 1);

    const { counter } = credential;
    const { clientData, signed, authData } = this.message('webauthn.get', request.challenge, { overrides, counter });
    return withOverrides(
      {
        ...this.credentialJson(overrides.credentialId ?? credential.id),
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signatureOf(credential.key, signed, overrides).toString('base64url'),
          userHandle: credential.userHandle,
        },
      },
      overrides,
    );
  }

  /** The bytes that a registration and an assertion sign: authenticator data and the hash of the client data (WebAuthn section 6.3.3). */
  private message(
    type: string,
    challenge: string,
    state: { overrides: MessageOverrides; counter: number; attested?: Buffer },
  ): { clientData: Buffer; authData: Buffer; signed: Buffer } {
    const { overrides, ...rest } = state;
    const { rpId, origin, userPresent: up = true, userVerified: uv = true } = this.options;
    const flags = { up, uv, be: this.isSynced, bs: this.isSynced };
    const clientData = clientDataOf(type, challenge, origin, overrides);
    const authData = authenticatorDataOf({ rpId, flags, ...rest }, overrides);
    return { clientData, authData, signed: Buffer.concat([authData, sha256(clientData)]) };
  }

  private attestationObject(
    key: PasskeyKey,
    wanted: string | undefined,
    authData: Buffer,
    signed: Buffer,
    overrides: RegistrationOverrides,
  ): Buffer {
    const isWanted = wanted !== undefined && wanted !== 'none';
    const attestation = overrides.attestation ?? (isWanted ? (this.options.attestation ?? 'none') : 'none');
    const statement = { ...this.statement(attestation, key, signed, overrides), ...overrides.statement };
    return encodeCbor(
      new Map<string, CborValue>([
        ['fmt', overrides.format ?? (attestation === 'none' ? 'none' : 'packed')],
        ['attStmt', new Map(Object.entries(statement))],
        ['authData', authData],
      ]),
    );
  }

  /** WebAuthn section 8.2. */
  private statement(
    attestation: Attestation,
    key: PasskeyKey,
    signed: Buffer,
    overrides: RegistrationOverrides,
  ): Readonly<Record<string, CborValue>> {
    if (attestation === 'none') return {};
    if (attestation === 'packed-self') {
      return { alg: COSE_ALGORITHM[key.algorithm], sig: signatureOf(key, signed, overrides) };
    }
    const { authority } = this.options;
    if (!authority) throw new Error('packed-certificate needs an authority');
    const signer = authority.signerOf(overrides.certifiedAaguid ?? overrides.aaguid ?? this.aaguid);
    const sig = signer.sign(signed);
    return { alg: COSE_ALGORITHM.ES256, sig: overrides.signature?.(sig) ?? sig, x5c: [signer.certificate] };
  }

  private credentialJson(id: string): Omit<RegistrationJson, 'response'> {
    return {
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: this.isSynced ? 'platform' : 'cross-platform',
      clientExtensionResults: {},
    };
  }

  /** The passkey to sign with; without a list, the latest one. */
  private allowed({ allowCredentials = [] }: RequestOptionsJson): PasskeyCredential {
    const ids = new Set(allowCredentials.map(({ id }) => id));
    const credential = this.credentials.findLast(({ id }) => ids.size === 0 || ids.has(id));
    if (!credential) throw new Error('NotAllowedError: the options allow none of the passkeys');
    return credential;
  }

  private checkCreation(creation: CreationOptionsJson): void {
    const { rp, pubKeyCredParams, excludeCredentials = [], authenticatorSelection } = creation;
    this.check(rp.id, authenticatorSelection?.userVerification);
    if (!pubKeyCredParams.some(({ alg }) => alg === COSE_ALGORITHM[this.algorithm])) {
      throw new Error(`NotSupportedError: the options do not allow ${this.algorithm}`);
    }
    if (excludeCredentials.some(({ id }) => this.credentials.some((own) => own.id === id))) {
      throw new Error('InvalidStateError: the authenticator is already registered');
    }
  }

  private checkRequest({ rpId, userVerification }: RequestOptionsJson): void {
    this.check(rpId, userVerification);
  }

  private check(rpId: string | undefined, userVerification: string | undefined): void {
    if ((rpId ?? new URL(this.options.origin).hostname) !== this.options.rpId) {
      throw new Error(`SecurityError: the options are for ${String(rpId)}`);
    }
    if (userVerification === 'required' && this.options.userVerified === false) {
      throw new Error('NotAllowedError: the authenticator cannot verify its user');
    }
  }
}

function signatureOf(key: PasskeyKey, signed: Buffer, overrides: SignatureOverrides): Buffer {
  const signature = (overrides.signer ?? key).sign(signed, overrides.isRawSignature);
  return overrides.signature?.(signature) ?? signature;
}
