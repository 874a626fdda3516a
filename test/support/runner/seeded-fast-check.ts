import fastCheck from 'fast-check';

/** The seed of every run except `npm run test:explore`, so that results depend only on the code. */
const FIXED_SEED = 6238;
/** Variables that `npm run test:explore` sets: its seed, and the factor for the number of cases. */
const { EXPLORE_SEED, EXPLORE_FACTOR = '1' } = process.env;

fastCheck.configureGlobal({ seed: EXPLORE_SEED === undefined ? FIXED_SEED : Number(EXPLORE_SEED) });

export * from 'fast-check';

/** Replaces the function of the library: multiplies the number of cases in an exploring run. */
export const assert = (<Ts>(property: fastCheck.IRawProperty<Ts>, parameters: fastCheck.Parameters<Ts> = {}) =>
  fastCheck.assert(property, {
    ...parameters,
    numRuns: (parameters.numRuns ?? 100) * Number(EXPLORE_FACTOR),
  })) as typeof fastCheck.assert;
