import { isSecretName } from './secrets.js';

/** Endings of names of columns and parameters that hold a secret, its hash or its sealed form. */
const SECRET_COLUMN =
  /(?:hash|code|otp|sealed|sealed_?successor|replaced_?by|jti|relay_?state|name_?id|assertion|cookie)$/i;
/** The position of a value in a list, and the member of an object. */
const POSITION = /(?:\[\d+\])+$/;

/** True if the value of a column or of a parameter must not be shown; in doubt it returns true. */
export function isSecretColumn(name: string): boolean {
  const plain = name.replace(POSITION, '');
  return isSecretName(plain) || SECRET_COLUMN.test(plain);
}
