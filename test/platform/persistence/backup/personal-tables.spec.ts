import { expect, it } from 'vitest';
import '../../../../src/app.module.js';
import { personalTables } from '../../../../src/platform/persistence/personal-tables.js';
import { expectedSchema, tableOf } from '../../../../src/platform/persistence/schema/expected-schema.js';
import { isSecretColumn } from '../../../../src/kernel/redaction/secrets.js';

/** Connected with a user by another table. */
const INDIRECT = ['idp_session'];
/** Its name looks like that of a secret; it is the name by which the identity provider knows the person. */
const NAMES_PERSON = 'idp_session.name_id';

it('an export of a person knows every table that has a column user_id, and each of its columns', () => {
  const schema = expectedSchema();
  const expected = Array.from(schema, ([name, { columns }]) => ({ name, columns: columns.map((each) => each.name) }))
    .filter(({ name, columns }) => name === 'account' || INDIRECT.includes(name) || columns.includes('user_id'))
    .map(({ name, columns }) => [name, columns.toSorted()] as const);

  const known = personalTables().map(
    ({ entity, shown, withheld = [] }) => [tableOf(entity).name, [...shown, ...withheld].toSorted()] as const,
  );

  expect(expected.length).toBeGreaterThan(8);
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(expected));
});

it('A8: an export of a person shows no column that holds a secret', () => {
  const shown = personalTables().flatMap(({ entity, shown: columns }) =>
    columns.map((column) => `${tableOf(entity).name}.${column}`),
  );

  expect(shown.filter((name) => isSecretColumn(name.replace(/^.*\./, '')))).toEqual([NAMES_PERSON]);
});
