import type { ScalarType } from '../config/bind/key-type.js';
import { ConversionError } from '../config/bind/conversion-error.js';

const FILE = 'file:';

/** The file that sets up the log, with or without `file:` before it; bound to its path. */
export const configLocation: ScalarType<string> = {
  shape: 'scalar',
  name: 'text',
  expects: 'the path of a file in YAML or JSON, such as file:/etc/login/logging.yml',
  parse: (text) => {
    const path = text.startsWith(FILE) ? text.slice(FILE.length) : text;
    const scheme = /^[a-z][a-z\d+.-]+:/i.exec(path);
    if (scheme) return new ConversionError(`${scheme[0]} is not read here: only file: is`);
    if (!/\S/.test(path)) return new ConversionError('not the path of a file');
    if (/\.(?:xml|groovy)$/i.test(path)) {
      return new ConversionError('files of other logging engines are not read here: write it in YAML or JSON');
    }
    return path;
  },
  format: (path) => FILE + path,
};
