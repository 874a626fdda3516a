import { neverUnset, text } from '../../config/bind/key-type.js';

/** The name of a certificate bundle: an empty text, such as of an unset variable, must not turn TLS off. */
export const bundleName = neverUnset(text({ form: /\S/, called: 'the name of a bundle' }));
