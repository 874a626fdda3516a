import type { PasskeyResponse } from '../../../identity/second-factor/passkey/passkey.js';

/** What a caller submits to prove the second factor: a code, or the assertion of a passkey. */
export type SubmittedProof = { readonly code: string } | { readonly assertion: PasskeyResponse['assertion'] };
