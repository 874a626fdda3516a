import { SystemClock } from '../../../src/kernel/clock/clock.js';
import { Configuration } from '../../../src/config/configuration.js';
import { Kvstore } from '../../../src/platform/kvstore/kvstore.service.js';
import { KvstoreProperties } from '../../../src/platform/kvstore/kvstore.properties.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { reading } from '../../config/keys/situation.js';
import { CollectedLog } from '../programs/collected-log.js';

/** A client of the key-value store, with its log and its meters; `keys` are those below `app.data.kvstore`. */
export function kvstoreOf(
  keys: readonly string[],
  others: readonly string[] = [],
): { readonly kvstore: Kvstore; readonly log: CollectedLog; readonly meters: Meters } {
  const args = [...keys.map((key) => `--app.data.kvstore.${key}`), ...others];
  const read = reading({ args });
  const configuration = new Configuration(read.environment, read.registry, read.warnings, read.instances);
  const [log, meters] = [new CollectedLog(), new Meters()];
  const properties = configuration.get(KvstoreProperties);
  const kvstore = new Kvstore(properties, configuration, new SystemClock(), log.loggers, meters);
  return { kvstore, log, meters };
}

export function at({ port }: { readonly port: number }): readonly string[] {
  return ['host=127.0.0.1', `port=${port}`];
}
