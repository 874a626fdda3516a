import { type ScalarType, text } from '../../config/bind/key-type.js';
import { ConversionProblem } from '../../config/problem.js';
import { originOf } from '../../kernel/encoding/origin.js';

/** A key whose value is compared with what browsers send. */
export const origin: ScalarType<string> = {
  ...text(),
  name: 'origin',
  expects: 'an origin such as https://portal.example, without a path; never * or null',
  parse: (value) =>
    originOf(value.trim()) ?? new ConversionProblem('not an origin: a scheme http or https, a host and a port'),
};
