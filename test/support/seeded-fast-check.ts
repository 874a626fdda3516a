import fastCheck from 'fast-check';

/** The seed of every run but `npm run test:explore`, so that a verdict depends on the change alone. */
const FIXED_SEED = 6238;
/** What `npm run test:explore` sets: the seed that it drew, and how many times the usual number of cases to run. */
const { EXPLORE_SEED, EXPLORE_FACTOR = '1' } = process.env;

fastCheck.configureGlobal({ seed: EXPLORE_SEED === undefined ? FIXED_SEED : Number(EXPLORE_SEED) });

export * from 'fast-check';

/** Replaces the function of the library: multiplies the number of cases where the run explores. */
export const assert = (<Ts>(property: fastCheck.IRawProperty<Ts>, parameters: fastCheck.Parameters<Ts> = {}) =>
  fastCheck.assert(property, {
    ...parameters,
    numRuns: (parameters.numRuns ?? 100) * Number(EXPLORE_FACTOR),
  })) as typeof fastCheck.assert;
