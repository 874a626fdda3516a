import { OrmPropertiesProperties } from '../../../src/platform/persistence/jpa.properties.js';

/** `jdbc.batch_size` and `default_batch_fetch_size`; the packaged values by default. */
export function batchSizes(written = 50, read = 100): OrmPropertiesProperties {
  return Object.assign(new OrmPropertiesProperties(), { jdbcBatchSize: written, defaultBatchFetchSize: read });
}
