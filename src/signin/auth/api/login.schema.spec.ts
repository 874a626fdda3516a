import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type GenericSchema, safeParse } from 'valibot';
import { fc } from '../../../../test/support/runner/property.js';
import { schemaWriter } from '../../../platform/web/openapi/json-schema.js';
import { codeSchema, confirmSchema, loginSchema } from './login.schema.js';

const ajv = new Ajv2020();
const write = schemaWriter({ type: 'string', format: 'date-time' });

/** What people type for a code, and what is close to it. */
const typed = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789ABCUILOZabuz -٣')), maxLength: 70 }),
  fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 5, maxLength: 9 }),
      fc.nat({ max: 70 }),
      fc.constantFrom(' ', '-'),
    )
    .map(([digits, count, filler]) => digits.slice(0, 3) + filler.repeat(count) + digits.slice(3)),
);

describe('the description of a code', () => {
  it.each<[string, GenericSchema]>([
    ['at the second step', codeSchema],
    ['at the confirmation', confirmSchema],
  ])('%s accepts exactly the texts that the service accepts', (_, schema) => {
    const isDescribed = ajv.compile(write(schema, 'input'));
    let taken = 0;

    fc.assert(
      fc.property(typed, (code) => {
        const isTaken = safeParse(schema, { code }).success;
        taken += isTaken ? 1 : 0;
        expect(isDescribed({ code }), code).toBe(isTaken);
      }),
      { numRuns: 2000 },
    );

    expect(taken).toBeGreaterThan(20);
  });
});

it('a backup code cannot confirm a pending secret', () => {
  expect(safeParse(confirmSchema, { code: 'ABCD-EFGH' }).issues).toMatchObject([{ message: 'format' }]);
  expect(safeParse(codeSchema, { code: 'ABCD-EFGH' }).success).toBe(true);
});

it('the description of a login id counts characters as the service does', () => {
  const isDescribed = ajv.compile(write(loginSchema, 'input'));

  for (const id of ['', 'a', 'a'.repeat(255), '\u{1f511}'.repeat(255), 'a'.repeat(256), '\u{1f511}'.repeat(256)]) {
    expect(isDescribed({ id, pw: 'x' }), id).toBe(safeParse(loginSchema, { id, pw: 'x' }).success);
  }
});
