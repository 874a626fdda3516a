export * as fc from './seeded-fast-check.js';
