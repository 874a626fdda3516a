import { CharsetRejection, charsetOf } from '../../kernel/encoding/charset.js';
import { type ScalarType, text } from './key-type.js';
import { ConversionProblem } from '../problem.js';

/** The name of a character set that is compatible with ASCII. */
export const charsetName: ScalarType<string> = {
  ...text(),
  name: 'character set',
  expects: 'the name of a character set that is compatible with ASCII, such as UTF-8, ISO-8859-1 or EUC-KR',
  parse: (value) => {
    const known = charsetOf(value);
    return known instanceof CharsetRejection ? new ConversionProblem(known.reason) : value;
  },
};
