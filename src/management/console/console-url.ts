import { type ScalarType, text } from '../../config/bind/key-type.js';
import { ConversionError } from '../../config/bind/conversion-error.js';

/** A URL that paths are put behind; credentials have keys of their own, as URLs are shown and logged. */
export const baseUrl: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects: 'a URL such as https://console.example.com/admin, without user, query and fragment',
  parse: (value) => {
    const trimmed = value.trim();
    const isPlain = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i.test(trimmed) && URL.canParse(trimmed);
    return isPlain ? trimmed.replace(/\/+$/, '') : new ConversionError('not such a URL');
  },
};
