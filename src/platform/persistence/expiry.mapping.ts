import { expiringTables } from './expiring-tables.js';
import { Mapping } from './mapper/mapping.js';

/** Permits the tables and keys that the stores register as parts of the statements of the sweep. */
export const expiryMapping = new Mapping('expiry', {
  texts: {
    table: () => expiringTables().map(({ table }) => table),
    key: () => expiringTables().map(({ key }) => key),
  },
});
