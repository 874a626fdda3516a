import type { ScalarType } from '../../config/bind/key-type.js';
import { ConversionError } from '../../config/bind/conversion-error.js';
import { PATTERN_WORDS, patternFault } from './pattern.js';

/** The form of a line in the words of logging engines; a mistake stops the start. */
export const logPattern: ScalarType<string> = {
  shape: 'scalar',
  name: 'log pattern',
  expects: `a pattern of the words ${PATTERN_WORDS}, such as %d %-5level %logger : %msg%n`,
  parse: (value) => {
    if (!/\S/.test(value)) return new ConversionError('empty');
    const fault = patternFault(value);
    return fault === undefined ? value : new ConversionError(fault);
  },
  format: (value) => value,
};
