import { ConversionError } from '../../config/bind/conversion-error.js';
import { finding, Rule } from '../../config/check/rule.js';
import { DatasourceProperties } from '../datasource.properties.js';
import { parseJdbcUrl } from './jdbc-url.js';

/** What of the database's URL is read differently from what its author may expect. */
export const jdbcUrlNotes = new Rule('database', (facts) => {
  const location = parseJdbcUrl(facts.get(DatasourceProperties).url);
  if (location instanceof ConversionError) return [];
  return location.notes.map((note) =>
    finding(
      {
        severity: 'warning',
        what: note.replace(/\.$/, ''),
        action: 'Correct app.datasource.url, or leave it so.',
      },
      { Property: 'app.datasource.url' },
    ),
  );
});
