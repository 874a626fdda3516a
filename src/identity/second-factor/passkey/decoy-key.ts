/** Base point of P-256 (SEC 2, section 2.4.2). */
const X = '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';
const Y = '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';

/**
 * COSE key, Base64url, with which the assertion of an unknown passkey is verified, so that it takes the time of a known one.
 * Its private key is public, which does not matter: whatever it signs is rejected.
 */
export const DECOY_KEY = Buffer.from(`a5010203262001215820${X}225820${Y}`, 'hex').toString('base64url');
