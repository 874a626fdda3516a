import { expiringTables } from './expiring-tables.js';
import { Mapping } from './mapper/mapping.js';

/** The statements of the sweep name a table and its key, which only the stores register. */
export const expiryMapping = new Mapping('expiry', {
  texts: {
    table: () => expiringTables().map(({ table }) => table),
    key: () => expiringTables().map(({ key }) => key),
  },
});
