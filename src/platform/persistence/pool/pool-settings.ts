/** Settings of a pool; times are in milliseconds. */
export interface PoolSettings {
  readonly name: string;
  readonly maximumPoolSize: number;
  readonly minimumIdle: number;
  /** Limit for the wait of a unit of work for a connection; 0 sets none. */
  readonly connectionTimeout: number;
  /** Unused time after which a connection above `minimumIdle` is closed; 0 keeps it. */
  readonly idleTimeout: number;
  /** Age at which a connection is replaced; 0 sets no limit. */
  readonly maxLifetime: number;
  /** Limit of the check that a connection responds. */
  readonly validationTimeout: number;
  /** Time after which a lent connection is reported; 0 disables the report. */
  readonly leakDetectionThreshold: number;
}

type Times = 'connectionTimeout' | 'idleTimeout' | 'maxLifetime' | 'validationTimeout' | 'leakDetectionThreshold';

const POOL_DEFAULTS = {
  name: 'pool-1',
  maximumPoolSize: 10,
  connectionTimeout: 30_000,
  idleTimeout: 600_000,
  maxLifetime: 1_800_000,
  validationTimeout: 5000,
  leakDetectionThreshold: 0,
} as const;

const MIN_TIMEOUT = 250;
const MIN_LIFETIME = 30_000;
const MIN_IDLE_TIMEOUT = 10_000;
const MIN_LEAK_THRESHOLD = 2000;
/** The minimum by which an idle timeout must be shorter than the lifetime to have an effect. */
const IDLE_MARGIN = 1000;

/** A value that is in force in place of the configured one. */
interface PoolAdjustment {
  readonly property: keyof PoolSettings;
  readonly value: number;
  /** The end of a sentence that names the value in force. */
  readonly reason: string;
}

/** The settings in force, and how they differ from the configured ones. */
export interface AdjustedSettings {
  readonly settings: PoolSettings;
  readonly adjustments: readonly PoolAdjustment[];
}

/** Replaces values that the pool cannot use well by the rules of HikariCP (`HikariConfig.validateNumerics`). */
export function adjustedSettings(configured: Partial<PoolSettings>): AdjustedSettings {
  const values = { ...POOL_DEFAULTS, ...configured };
  const adjustments: PoolAdjustment[] = [];
  const use = (property: keyof PoolSettings, value: number, reason: string): number => {
    adjustments.push({ property, value, reason });
    return value;
  };
  const atLeast = (property: Times, minimum: number, zeroIsAllowed: boolean): number => {
    const value = values[property];
    if (value >= minimum || (zeroIsAllowed && value === 0)) return value;
    return use(property, POOL_DEFAULTS[property], `below ${minimum} ms, so the default is used`);
  };

  const { name, maximumPoolSize } = values;
  const connectionTimeout = atLeast('connectionTimeout', MIN_TIMEOUT, true);
  const validationTimeout = atLeast('validationTimeout', MIN_TIMEOUT, false);
  const maxLifetime = atLeast('maxLifetime', MIN_LIFETIME, true);

  let leakDetectionThreshold = values.leakDetectionThreshold;
  const isTooLate = maxLifetime > 0 && leakDetectionThreshold > maxLifetime;
  if (leakDetectionThreshold > 0 && (leakDetectionThreshold < MIN_LEAK_THRESHOLD || isTooLate)) {
    const reason = `below ${MIN_LEAK_THRESHOLD} ms or above max-lifetime, so leaks are not reported`;
    leakDetectionThreshold = use('leakDetectionThreshold', 0, reason);
  }

  let minimumIdle = values.minimumIdle ?? maximumPoolSize;
  if (minimumIdle > maximumPoolSize) {
    minimumIdle = use('minimumIdle', maximumPoolSize, 'above maximum-pool-size');
  }

  let idleTimeout: number = values.idleTimeout;
  const isFixed = minimumIdle === maximumPoolSize;
  if (isFixed && idleTimeout !== 0 && idleTimeout !== POOL_DEFAULTS.idleTimeout) {
    use('idleTimeout', idleTimeout, 'without effect, since minimum-idle equals maximum-pool-size');
  } else if (!isFixed && maxLifetime > 0 && idleTimeout + IDLE_MARGIN > maxLifetime) {
    idleTimeout = use('idleTimeout', 0, 'close to max-lifetime or above it, so idle connections are kept');
  } else if (!isFixed) {
    idleTimeout = atLeast('idleTimeout', MIN_IDLE_TIMEOUT, true);
  }

  const settings = {
    ...{ name, maximumPoolSize, minimumIdle, connectionTimeout, idleTimeout },
    ...{ maxLifetime, validationTimeout, leakDetectionThreshold },
  };
  return { settings, adjustments };
}
